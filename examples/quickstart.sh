#!/bin/sh
# A walk through ambos: every command is shown, then run. Writes into quickstart/ and starts it anew.
set -eu
rm -rf quickstart
mkdir quickstart
cd quickstart

if [ -t 1 ]; then bold=$(printf '\033[1m'); green=$(printf '\033[32m'); plain=$(printf '\033[0m')
else bold=; green=; plain=; fi

say() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }
run() {
  shown=""
  for word in "$@"; do
    case $word in *[!A-Za-z0-9_./=:-]*) word="\"$word\"" ;; esac
    shown="$shown $word"
  done
  printf '%s$%s%s\n' "$green" "$shown" "$plain"
  "$@"
}

say "1  Text to learn from: a small bilingual corpus and labelled sets, made by grammars"
run ambos sample --out sample

say "2  A vocabulary learnt from it: WordPiece, as BERT's; accents are kept"
run ambos tokenizer train sample/corpus --kind wordpiece --vocab-size 8000 --out tokenizer

say "3  How a pair of texts looks to the model"
run ambos tokenizer show tokenizer "O gatinho não dormiu." "Ele miou à noite."

say "4  How well the vocabulary suits text it has not seen"
run ambos tokenizer report tokenizer sample/heldout

say "5  The whole corpus as memory-mapped tokens, ready for pretraining"
run ambos corpus build sample/corpus --tokenizer tokenizer --out store
run ambos corpus show store --seed 4

say "6  A published encoder: what it is, and one vector for each paragraph of a text"
run ambos info minilm
run ambos embed minilm sample/heldout/en.txt --out vectors.npy

say "7  An encoder of your own: 45 seconds of pretraining on the sample, with a report to read"
run ambos pretrain sample/corpus --heldout sample/heldout --tokenizer tokenizer --preset bert-tiny --minutes 0.75 --out run
run ambos fill run "Ontem à noite, a menina [MASK] um livro." --top 3
run ambos fill run "The old doctor lives [MASK] the museum." --top 3

say "8  Labelled rows: look at them, fine-tune on them, measure with intervals, predict"
run ambos doctor sample/ner/train.conll --test sample/ner/test.conll --model run
run ambos finetune tag --train sample/ner/train.conll --dev sample/ner/dev.conll --test sample/ner/test.conll --base run --lr 1e-3 --out ner
printf 'Ana Lima mora em Fortaleza .\nPenny Wilkins works in Halifax .\n' > sentences.txt
run ambos predict ner sentences.txt --out tags.jsonl --with-text
run cat tags.jsonl

say "9  Texts found by meaning: their vectors beside that of a question"
run ambos search minilm "a nurse who looked after patients" sample/heldout/en.txt --top 3

say "All of it is in quickstart/. Next: ambos --help"
