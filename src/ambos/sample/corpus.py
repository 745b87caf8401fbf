"""Raw text to pretrain on: documents that keep their topic, their people and their town."""

from dataclasses import replace
from random import Random

from ambos.sample.agreement import agreement_sentence
from ambos.sample.grammar import Bound, Values
from ambos.sample.labels import OPINIONS, opinion
from ambos.sample.language import Noun
from ambos.sample.lexicon import Tongue
from ambos.sample.questions import passage
from ambos.sample.senses import sense_sentence
from ambos.sample.tokens import join

_TOPIC_OF_SENSE = {
    "finance": ("banco.financeiro", "bank.money"),
    "garden": ("banco.assento", "spring.season"),
    "farm": ("manga.fruta", "spring.water"),
    "clothes": ("manga.roupa",),
    "sea": ("bank.river",),
    "weather": ("bank.river", "spring.season"),
    "technology": ("spring.coil",),
    "travel": ("spring.water", "banco.assento"),
}
# What a sentence of a story is, in hundredths.
_KINDS = (
    ("frame",) * 32
    + ("remark",) * 14
    + ("dialogue",) * 10
    + ("sense",) * 10
    + ("agreement",) * 30
    + ("retold",) * 4
)
_DISTANCES = (0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5)  # bins of agreement: what is near is met more often
_REPEAT_FREE_WORDS = 6  # shorter sentences may occur again, as in life
_TRIES = 6


class Author:
    """Writes documents in one language and avoids saying the same sentence twice."""

    def __init__(self, tongue: Tongue, rng: Random) -> None:
        self._tongue = tongue
        self._grammar = tongue.grammar
        self._rng = rng
        self._said: set[str] = set()
        self._used: set[str] = set()  # the templates of this document: a fact is stated once

    def document(self) -> list[str]:
        """Return the paragraphs of a new document."""
        kind = self._rng.random()
        if kind < 0.82:
            return self._story()
        return self._reviews() if kind < 0.90 else self._facts() if kind < 0.96 else self._news()

    def _new(self, sentence: str) -> bool:
        if len(sentence.split()) <= _REPEAT_FREE_WORDS:
            return True
        fresh = sentence not in self._said
        self._said.add(sentence)
        return fresh

    def _story(self) -> list[str]:
        rng = self._rng
        self._used.clear()
        topic = rng.choice(self._tongue.topics)
        values = self._tongue.cast(rng)
        values["S"] = values["C"]
        paragraphs = []
        total = rng.randint(2, 6)
        for index in range(total):
            sentences: list[str] = []
            length = rng.randint(3, 8)
            while len(sentences) < length:
                first, last = (
                    index == 0 and not sentences,
                    index == total - 1 and len(sentences) == length - 1,
                )
                sentence = self._sentence(topic, values, opens=first, closes=last, follows=bool(sentences))
                sentences.append(sentence)
            paragraphs.append(" ".join(sentences))
        return paragraphs

    def _sentence(self, topic: str, values: Values, *, opens: bool, closes: bool, follows: bool) -> str:
        sentence = ""
        for _ in range(_TRIES):
            kind = "opening" if opens else "closing" if closes else self._rng.choice(_KINDS)
            values["S"] = Bound(self._mention(values["C"].noun, follows=follows))
            sentence = self._write(kind, topic, dict(values))
            if sentence and self._new(sentence):
                return sentence
        return sentence or self._write("frame", topic, dict(values))

    def _write(self, kind: str, topic: str, values: Values) -> str:
        rng = self._rng
        if kind == "sense":
            senses = [sense for sense in _TOPIC_OF_SENSE.get(topic, ()) if sense in self._tongue.senses]
            if senses:
                known = {"X": values["C"], "Z": values["D"], "T": values["T"]}
                part = rng.choice(("train", "test"))
                return join(sense_sentence(self._tongue, rng.choice(senses), part, rng, known))[0]
            kind = "remark"
        if kind == "agreement":
            label = f"{rng.choice(_DISTANCES)}{rng.choice('sp')}"
            made = (agreement_sentence(self._tongue, label, rng) for _ in range(_TRIES))
            return next((join(found[0])[0] for found in made if found), "")
        if kind == "retold":
            family = [line[2:] for line in rng.choice(self._tongue.paraphrases) if line.startswith("=")]
            if "X=first" not in family[0] or family[0] in self._used:
                return ""
            self._used.add(family[0])
            known = {"X=first": values["C"], "Z=first": values["D"], "T=city": values["T"]}
            facts = {slot[0]: bound for slot, bound in known.items() if slot in family[0]}
            self._grammar.bind(family[0], rng, facts, "pair")
            return self._grammar.text(rng.choice(family), rng, values=facts, topic="pair")
        template = self._grammar.pick(kind, rng, topic)
        if kind != "frame" and template in self._used:
            return ""
        self._used.add(template)
        return self._grammar.text(template, rng, values=values, topic=topic)

    def _mention(self, character: Noun | None, *, follows: bool) -> Noun:
        if character is None:
            raise TypeError("a document needs its main character")
        draw = self._rng.random()
        # A pronoun needs something before it in the paragraph.
        form = "pron" if follows and draw < 0.5 else "title" if draw > 0.85 else "first"
        surface = character.form(form)
        return replace(character, sg=surface, pl=surface)

    def _reviews(self) -> list[str]:
        rng = self._rng
        label = rng.choice(OPINIONS)
        domain = rng.choice(self._tongue.aspects).domain
        return [
            " ".join(opinion(self._tongue, label, rng, domain=domain) or "" for _ in range(rng.randint(3, 4)))
            for _ in range(rng.randint(2, 3))
        ]

    def _facts(self) -> list[str]:
        rng = self._rng
        town = {"L": Bound(self._grammar.noun("city", rng))}  # the history of one town
        families = rng.sample(self._tongue.facts, rng.randint(2, 3))
        return [passage(self._tongue, "train", rng, town, family)[1] for family in families]

    def _news(self) -> list[str]:
        rng = self._rng
        people = self._tongue.entities[rng.choice(("train", "dev", "test"))]
        paragraphs = []
        values = {
            name: Bound(noun) for name, noun in zip("XY", rng.sample(list(people["PER"]), 2), strict=True)
        }
        values |= {
            name: Bound(noun) for name, noun in zip("LK", rng.sample(list(people["LOC"]), 2), strict=True)
        }
        values |= {
            name: Bound(noun) for name, noun in zip("OP", rng.sample(list(people["ORG"]), 2), strict=True)
        }
        for _ in range(rng.randint(2, 3)):
            templates = [
                self._grammar.pick(rng.choice(("train", "test")), rng, "ner")
                for _ in range(rng.randint(3, 5))
            ]
            sentences = [
                self._grammar.text(template, rng, values=dict(values))
                for template in dict.fromkeys(templates)
            ]
            paragraphs.append(" ".join(sentences))
        return paragraphs


def documents(tongue: Tongue, seed: int, train_bytes: int, dev_bytes: int) -> tuple[list[str], list[str]]:
    """Write the documents of a language.

    Returns
    -------
    train, dev : lists of str
        Documents, paragraphs separated by a line end; together close to the bytes asked for. None
        occurs twice.
    """
    author = Author(tongue, Random(f"{seed}/corpus/{tongue.code}"))  # noqa: S311 - not for secrets
    parts: tuple[list[str], list[str]] = ([], [])
    seen: set[str] = set()
    for part, budget in zip(parts, (train_bytes, dev_bytes), strict=True):
        size = 0
        while size < budget:
            document = "\n".join(author.document())
            if document in seen:
                continue
            seen.add(document)
            part.append(document)
            size += len(document.encode()) + 2
    return parts
