"""Sentence borders for running text, decided per word so that the token store can do it with NumPy.

A border is a matter of how one word ends and how the next begins. `word_shape` says both about a
word on its own, once per distinct word; `sentence_ends` looks the pairs up in `BORDERS`, the rule
book, for millions of words at a time. Written for Portuguese and English, harmless elsewhere.
"""

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

# --- how a word ends (low four bits of a shape) ---
(
    PLAIN,  # no terminator
    COLON,  # `:` or `;`: never a border, but "1." after it is a list item
    STOP,  # a full stop
    BANG,  # `!`, `?` and runs of them
    ELLIPSIS,  # `...` or `…`
    QUOTED_STOP,  # a full stop, then closing quotes or brackets
    QUOTED_BANG,  # anything else that ends, then closing quotes or brackets
    STRONG,  # abbreviation that something always follows: "Dra.", "vs."
    NAMELIKE,  # abbreviation that names go on after: "U.S.", "Inc."
    INITIAL,  # "J.": as NAMELIKE, but a list item or a speaker where a sentence begins
    WEAK,  # abbreviation that a sentence may well end with: "etc.", "a.m."
    ITEM,  # "3.": a list item where a sentence begins, an ordinary number elsewhere
    EMOTICON,  # ":)" and emoji
    SHUT,  # only closing quotes or brackets: ends as the word before does
    EITHER,  # a lone `"`: opens after a full stop, closes after anything else
) = range(15)

# --- how a word begins (next four bits) ---
(
    SYMBOL,  # nothing that has a case
    UPPER,
    BRACKET,  # upper case after an opening bracket
    STARTER,  # upper case, and a word that often begins a sentence: "The", "Ele"
    LOWER,
    OPENED,  # lower case after an opening quote, bracket or dash
    DIGIT,
    SAID,  # a lower-case verb of speech: '"Who?" Mary asked.'
    OPENING,  # only opening marks or a dash: begins as the next word does
    CLOSING,  # only terminators or closing marks: belongs to what is before
    QUOTE,  # a lone `"`
) = range(11)

# The rule book: a sentence ends between a word that ends like the key and one that begins like a value.
BORDERS: dict[int, set[int]] = {
    STOP: {SYMBOL, UPPER, BRACKET, STARTER, LOWER, SAID, DIGIT, QUOTE},
    BANG: {SYMBOL, UPPER, BRACKET, STARTER, DIGIT},
    ELLIPSIS: {UPPER, STARTER},
    QUOTED_STOP: {SYMBOL, UPPER, BRACKET, STARTER, DIGIT},
    QUOTED_BANG: {UPPER, BRACKET, STARTER, DIGIT},
    NAMELIKE: {STARTER},
    INITIAL: {STARTER},
    WEAK: {UPPER, STARTER},
    ITEM: {SYMBOL, UPPER, BRACKET, STARTER, DIGIT},
    EMOTICON: {UPPER, STARTER},
}
# What an ending becomes when a closing quote or bracket follows it, in the same word or alone.
CLOSED = {
    STOP: QUOTED_STOP,
    QUOTED_STOP: QUOTED_STOP,
    BANG: QUOTED_BANG,
    ELLIPSIS: QUOTED_BANG,
    QUOTED_BANG: QUOTED_BANG,
    STRONG: NAMELIKE,
    NAMELIKE: NAMELIKE,
    INITIAL: NAMELIKE,
    WEAK: QUOTED_STOP,
    ITEM: QUOTED_STOP,
}

# The same as arrays for lookup.
_ENDS = np.zeros(256, dtype=np.bool_)  # indexed by ending | beginning << 4
for _end, _begins in BORDERS.items():
    _ENDS[[_end | _begin << 4 for _begin in _begins]] = True
_AFTER_SHUT = np.array([CLOSED.get(kind, PLAIN) for kind in range(16)], dtype=np.uint8)
_AFTER_EITHER = np.where(np.arange(16) == STOP, PLAIN, _AFTER_SHUT).astype(np.uint8)
_OPENED_BY = np.arange(16, dtype=np.uint8)
_OPENED_BY[[LOWER, SAID, OPENING]] = OPENED, OPENED, SYMBOL
_BEFORE_ITEM = np.isin(np.arange(16), [COLON, STOP, BANG, ELLIPSIS, QUOTED_STOP, QUOTED_BANG])

_TERMINATORS = ".!?…。！？؟۔।‽"
_QUOTES = "\"'“”‘’„‚«»‹›`´"
_DASHES = "—–―−"
_CLOSERS = _QUOTES + ")]}>*_" + _DASHES
_OPENERS = _QUOTES + "([{<¿¡*_" + _DASHES + "-•….\xad"
_ONLY_OPEN = frozenset("“‘„‚«‹([{¿¡-•*\xad" + _DASHES)
_TAIL = _TERMINATORS + _CLOSERS + ",;:"  # what a word that begins nothing consists of


# Abbreviations, without their last dot, in lower case; those that are also plain words are never STRONG.
_ABBREVIATIONS = {
    STRONG: """
        sr sra srs sras srta snr snra dr dra drs dras prof profa profª eng arq exmo exma ilmo ilma revmo rev
        pe fr dep sen gov pres sgt maj brig av rod trav pça lgo sto sta
        mr mrs messrs mme mlle capt lt col cpl pvt gen hon supt cmdr mt
        vs cf viz obs e.g i.e p.ex p.s
    """,
    NAMELIKE: """
        inc corp co cos ltd llc bros jr ms st sts ste ave blvd rd dept univ assn adm ps v
        ltda cia sa exa exas exª excia revma ema min cap ten cel des gal alm al est ed ap apto bl qd ex
    """,
    WEAK: """
        etc ect ext am pm approx
        art arts par fl fls proc pág págs pag pags pp tel cx vol vols fig figs tab no nos nº núm op sec séc
        ref jan fev feb mar abr apr mai jun jul ago aug set sep sept out oct nov dez dec
        seg ter qua qui sex sáb dom mon tue tues wed thu thur thurs fri sat
        km kg cm mm mg ml ha hr hrs ft lb lbs oz
    """,
}
_KIND = {word: kind for kind, words in _ABBREVIATIONS.items() for word in words.split()}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that often begin a sentence and hardly ever follow an initial or acronym inside a name.
_STARTERS = _words("""
    the this that these those there here he she it they we you i his her its their our my your if when while
    after before although though because since as at by for from in on with without under during but and or so
    yet nor however moreover then thus what who why how where which is are was were do does did has have had
    not no a an one some many most all both thanks please each every such even once today now also another
    to perhaps well let only still besides yes indeed just sometimes never can would could should nothing
    neither nobody everything any whether about something instead none therefore finally meanwhile later
    o os a as um uma uns umas ele ela eles elas isso isto aquilo este esta esse essa estes estas aquele aquela
    eu nós você vocês seu sua seus suas meu minha em no na nos nas num numa ao à aos às por para pelo pela com
    sem sob sobre entre até desde após depois antes durante quando enquanto se porque pois como mas e ou porém
    contudo entretanto todavia assim então também já ainda agora hoje ontem não sim nem quem que qual onde
    há é foi era são segundo conforme apesar além mesmo todos todas cada outro outra alguns muitos
    tinha só tudo eram estava estavam havia quanto ninguém logo daí enfim apenas afinal neste nesta nesse
    nessa houve ali aqui lá foram nenhum nenhuma ambos embora portanto naquele naquela talvez sempre nunca
""")
_SAID = _words("""
    said says asked asks cried cries replied replies answered exclaimed shouted whispered murmured demanded
    inquired enquired repeated continued added observed remarked thought interrupted returned echoed
    disse diz dizia perguntou respondeu gritou exclamou murmurou replicou retorquiu bradou
""")
_EMOTICONS = _words(":) :-) ;) ;-) :( :-( :D :-D ;D :P :-P =) ^_^ <3")
_I = _words("i im i'm i've i'll i'd i’m i’ve i’ll i’d")
_LINE = re.compile(r"[^\r\n]+")
_ROMAN = re.compile(r"V|X|[IVXLC]{2,}[.,;:]?")  # "art. IV", "vol. II": counts as a number
_NUMBERED = re.compile(r"\d{1,2}(?:\.\d{1,2})*")  # "3", "9.2"; the last dot is gone
_DOTTED = re.compile(r"[^\W\d_]|(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")  # "n", "U.S", "Ph.D"


def word_shape(word: str) -> int:
    """Describe how one whitespace-free word ends and begins, for `sentence_ends`.

    Parameters
    ----------
    word
        Not empty and without whitespace, as `str.split` gives.

    Returns
    -------
    int
        Below 256: the ending in the low four bits, the beginning above them.

    Examples
    --------
    >>> word_shape("Dra.") == STRONG | UPPER << 4
    True
    """
    body = word.lstrip(_OPENERS) if word[0] in _OPENERS else word
    first = body[:1]
    if first.islower():
        begin = _lower(body) if body is word else OPENED
    elif first.isalpha():
        begin = _capital(word, body)
    elif first.isdigit():
        begin = DIGIT
    elif word in _EMOTICONS or (word[0] >= "\U0001f000" and word[-1] >= "\ufe0f"):
        return EMOTICON | CLOSING << 4
    elif not body.strip(_TAIL):
        return _marks(word)
    else:
        begin = SYMBOL
    last = word[-1]
    if last.isalnum() or last == ",":  # nearly every word leaves here
        return begin << 4
    return _ending(body) | begin << 4


def _lower(body: str) -> int:
    if body in _I:
        return SYMBOL  # whoever writes "i" begins sentences with it; but it says nothing after "etc."
    return SAID if body.rstrip(",.;:") in _SAID else LOWER


def _capital(word: str, body: str) -> int:
    if word[0] in "([{":
        return BRACKET
    low = body.rstrip(",;:").lower().replace("’", "'")
    if low in _STARTERS or low.partition("'")[0] in _STARTERS:
        return STARTER
    return DIGIT if _ROMAN.fullmatch(body) else UPPER


def _marks(word: str) -> int:
    """Shape of a word without a letter, digit or symbol."""
    if word[0] in "([" and ("." in word or "…" in word):
        return SYMBOL << 4  # "[...]" stands for the beginning of what follows
    if _ONLY_OPEN.issuperset(word):
        return OPENING << 4
    return EITHER | QUOTE << 4 if word in {'"', "'"} else _ending(word) | CLOSING << 4


def _ending(body: str) -> int:
    bare = body.rstrip(_CLOSERS)
    if not bare:
        return SHUT
    last = bare[-1]
    if last == "." and bare[-2:] != "..":
        kind = _full_stop(bare[:-1])
    elif last in ".…":
        kind = ELLIPSIS
    elif last in _TERMINATORS:
        # "!!" is not how edited text is written; there a sentence may begin in lower case.
        kind = STOP if bare.endswith(("!!", "??")) else BANG
    else:
        return COLON if last in ":;" else PLAIN
    return kind if bare == body else CLOSED[kind]


def _full_stop(core: str) -> int:
    """Say what a full stop after `core` means."""
    kind = _KIND.get(core.lower(), STOP)
    if len(core) == 1 and core.isupper():
        kind = INITIAL if core != "I" else STOP  # "It was I." is met more often than "I. Newton"
    elif kind != STOP:
        pass
    elif _NUMBERED.fullmatch(core):
        kind = ITEM
    elif _DOTTED.fullmatch(core):
        kind = WEAK if core[0].islower() else NAMELIKE  # "a.C.", "q.b." against "D.C."
    return kind


_known_shape = lru_cache(maxsize=1 << 16)(word_shape)


def sentence_ends(
    shapes: NDArray[np.unsignedinteger], paragraph_last: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_]:
    """Mark the words after which a sentence ends.

    Parameters
    ----------
    shapes
        `word_shape` of each word, in order.
    paragraph_last
        True at the last word of each paragraph, where a sentence always ends and past which nothing
        is looked at. Without it the words are one paragraph.

    Notes
    -----
    Local: whether a sentence ends after a word depends on it, the two before and the two after.

    Examples
    --------
    >>> words = "O Sr. Lima saiu. Chove.".split()
    >>> sentence_ends(np.array([word_shape(w) for w in words], dtype=np.uint8)).tolist()
    [False, False, False, True, True]
    """
    count = len(shapes)
    if count == 0:
        return np.zeros(0, dtype=np.bool_)
    last = np.zeros(count, dtype=np.bool_) if paragraph_last is None else paragraph_last.astype(np.bool_)
    last[-1] = True
    codes = shapes.astype(np.uint8)
    left, right = codes & 15, codes >> 4
    # The exceptions are rare, so they are found once and repaired by index; the rest is one lookup.
    for kind, taken in ((SHUT, _AFTER_SHUT), (EITHER, _AFTER_EITHER)):
        lone = np.flatnonzero(left == kind)
        lone = lone[(lone > 0) & ~last[lone - 1]]
        left[lone] = taken[left[lone - 1]]
    opening = np.flatnonzero(right == OPENING)
    opening = opening[~last[opening]]
    right[opening] = _OPENED_BY[right[opening + 1]]
    ends = np.empty(count, dtype=np.bool_)
    ends[:-1] = _ENDS.take(left[:-1] | right[1:] << 4)
    item = np.flatnonzero((left == ITEM) | (left == INITIAL))
    ends[item[(item == 0) | last[item - 1] | _BEFORE_ITEM[left[item - 1]]]] = False
    said = np.flatnonzero(right[2:] == SAID)
    ends[said[(left[said] == QUOTED_BANG) & ~last[said + 1]]] = False
    ends[last] = True
    return ends


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Find the sentences of a text as character spans; a new line always ends a sentence.

    Every character that is not whitespace is in exactly one span, and no span begins or ends with
    whitespace.

    Examples
    --------
    >>> text = "Vem cá! O Dr. Lima chegou."
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['Vem cá!', 'O Dr. Lima chegou.']
    """
    words: list[str] = []
    last: list[int] = []
    for line in _LINE.findall(text):
        words += line.split()
        if words:
            last.append(len(words) - 1)
    paragraph_last = np.zeros(len(words), dtype=np.bool_)
    paragraph_last[last] = True
    shapes = np.fromiter(map(_known_shape, words), dtype=np.uint8, count=len(words))
    spans = []
    start = stop = 0
    begins = True
    for word, ends in zip(words, sentence_ends(shapes, paragraph_last).tolist(), strict=True):
        found = text.find(word, stop)  # only whitespace lies between, so the first hit is the word
        stop = found + len(word)
        if begins:
            start = found
        begins = ends
        if ends:
            spans.append((start, stop))
    return spans
