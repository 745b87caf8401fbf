# ruff: noqa: E501, SIM905 - word lists read best as running text
"""Portuguese morphology: plurals, agreement, conjugation, contractions."""

from collections.abc import Sequence
from functools import cache

from ambos.sample.language import Language, Noun, Word
from ambos.sample.tokens import Token

# Irregular forms in the order of _SLOTS; None keeps the regular one.
_SLOTS = ("pres.s", "pres.p", "past.s", "past.p", "imp.s", "imp.p", "part", "pres.1", "past.1")
_IRREGULAR = {
    "ser": "é são foi foram era eram sido sou fui",
    "estar": "está estão esteve estiveram estava estavam estado estou estive",
    "ter": "tem têm teve tiveram tinha tinham tido tenho tive",
    "manter": "mantém mantêm manteve mantiveram mantinha mantinham mantido mantenho mantive",
    "obter": "obtém obtêm obteve obtiveram obtinha obtinham obtido obtenho obtive",
    "ir": "vai vão foi foram ia iam ido vou fui",
    "vir": "vem vêm veio vieram vinha vinham vindo venho vim",
    "ver": "vê veem viu viram via viam visto vejo vi",
    "prever": "prevê preveem previu previram previa previam previsto prevejo previ",
    "rever": "revê reveem reviu reviram revia reviam revisto revejo revi",
    "ler": "lê leem leu leram lia liam lido leio li",
    "dar": "dá dão deu deram dava davam dado dou dei",
    "fazer": "faz fazem fez fizeram fazia faziam feito faço fiz",
    "refazer": "refaz refazem refez refizeram refazia refaziam refeito refaço refiz",
    "dizer": "diz dizem disse disseram dizia diziam dito digo disse",
    "trazer": "traz trazem trouxe trouxeram trazia traziam trazido trago trouxe",
    "poder": "pode podem pôde puderam podia podiam podido posso pude",
    "pôr": "põe põem pôs puseram punha punham posto ponho pus",
    "compor": "compõe compõem compôs compuseram compunha compunham composto componho compus",
    "propor": "propõe propõem propôs propuseram propunha propunham proposto proponho propus",
    "querer": "quer querem quis quiseram queria queriam querido quero quis",
    "saber": "sabe sabem soube souberam sabia sabiam sabido sei soube",
    "haver": "há hão houve houveram havia haviam havido hei houve",
    "rir": "ri riem riu riram ria riam rido rio ri",
    "sorrir": "sorri sorriem sorriu sorriram sorria sorriam sorrido sorrio sorri",
    "perder": "- - - - - - - perco -",
    "pedir": "- - - - - - - peço -",
    "medir": "- - - - - - - meço -",
    "ouvir": "- - - - - - - ouço -",
    "dormir": "- - - - - - - durmo -",
    "servir": "- - - - - - - sirvo -",
    "sentir": "- - - - - - - sinto -",
    "preferir": "- - - - - - - prefiro -",
    "seguir": "- - - - - - - sigo -",
    "produzir": "produz - - - - - - - -",
    "sumir": "some somem - - - - - - -",
    "subir": "sobe sobem - - - - - - -",
    "fugir": "foge fogem - - - - - fujo -",
    "descobrir": "- - - - - - descoberto descubro -",
    "cobrir": "- - - - - - coberto cubro -",
    "abrir": "- - - - - - aberto - -",
    "escrever": "- - - - - - escrito - -",
    "ganhar": "- - - - - - ganho - -",
    "pagar": "- - - - - - pago - -",
    "eleger": "- - - - - - eleito elejo -",
    "construir": "constrói constroem - - - - - - -",
    "destruir": "destrói destroem - - - - - - -",
    "proibir": "proíbe proíbem - - - - - proíbo -",
    "reunir": "reúne reúnem - - - - - reúno -",
}
_ENDINGS = {
    "ar": ("a", "am", "ou", "aram", "ava", "avam", "ado", "o", "ei"),
    "er": ("e", "em", "eu", "eram", "ia", "iam", "ido", "o", "i"),
    "ir": ("e", "em", "iu", "iram", "ia", "iam", "ido", "o", "i"),
    # After a vowel the i takes an accent where it is stressed and opens a syllable.
    "air": ("ai", "aem", "aiu", "aíram", "aía", "aíam", "aído", "aio", "aí"),
    "uir": ("ui", "uem", "uiu", "uíram", "uía", "uíam", "uído", "uo", "uí"),
    "ear": ("eia", "eiam", "eou", "earam", "eava", "eavam", "eado", "eio", "eei"),
}
_AUX = frozenset({"ser", "estar", "ter", "haver", "ir"})
_DETERMINERS = {
    "o": ("o", "a", "os", "as"),
    "um": ("um", "uma", "alguns", "algumas"),
    "este": ("este", "esta", "estes", "estas"),
    "esse": ("esse", "essa", "esses", "essas"),
    "aquele": ("aquele", "aquela", "aqueles", "aquelas"),
    "seu": ("seu", "sua", "seus", "suas"),
    "meu": ("meu", "minha", "meus", "minhas"),
    "nosso": ("nosso", "nossa", "nossos", "nossas"),
    "muito": ("muito", "muita", "muitos", "muitas"),
    "pouco": ("pouco", "pouca", "poucos", "poucas"),
    "todo": ("todo", "toda", "todos", "todas"),
    "nenhum": ("nenhum", "nenhuma", "nenhuns", "nenhumas"),
    "algum": ("algum", "alguma", "alguns", "algumas"),
    "vários": ("vários", "várias", "vários", "várias"),
    "cada": ("cada", "cada", "cada", "cada"),
    "quanto": ("quanto", "quanta", "quantos", "quantas"),
    "mesmo": ("mesmo", "mesma", "mesmos", "mesmas"),
    "outro": ("outro", "outra", "outros", "outras"),
}
_ADJECTIVES = {
    "bom": ("bom", "boa", "bons", "boas"),
    "mau": ("mau", "má", "maus", "más"),
    "alemão": ("alemão", "alemã", "alemães", "alemãs"),
    "são": ("são", "sã", "sãos", "sãs"),
    "europeu": ("europeu", "europeia", "europeus", "europeias"),
    "simples": ("simples", "simples", "simples", "simples"),
    "cru": ("cru", "crua", "crus", "cruas"),
    "nu": ("nu", "nua", "nus", "nuas"),
}
_FEMININE_ENDINGS = ("a", "ção", "são", "dade", "gem", "tude")
_MASCULINE_IN_A = frozenset(
    "dia mapa problema sistema programa clima poema tema cinema telegrama diploma".split()
)
_CONTRACTIONS = {
    "de": {"o": "do", "a": "da", "os": "dos", "as": "das"},
    "em": {"o": "no", "a": "na", "os": "nos", "as": "nas", "um": "num", "uma": "numa"},
    "a": {"o": "ao", "a": "à", "os": "aos", "as": "às"},
    "por": {"o": "pelo", "a": "pela", "os": "pelos", "as": "pelas"},
}
_PRONOUNS = (
    "ele",
    "ela",
    "eles",
    "elas",
    *(f for lemma in ("este", "esse", "aquele") for f in _DETERMINERS[lemma]),
)
for _pronoun in _PRONOUNS:
    _CONTRACTIONS["de"][_pronoun] = f"d{_pronoun}"
    _CONTRACTIONS["em"][_pronoun] = f"n{_pronoun}"
for _form in _DETERMINERS["aquele"]:
    _CONTRACTIONS["a"][_form] = f"à{_form[1:]}"


def plural(word: str) -> str:
    """Return the regular plural of a noun or adjective."""
    for ending, stem, suffix in (
        ("ão", 2, "ões"),
        ("al", 1, "is"),
        ("ul", 1, "is"),
        ("el", 2, "éis"),
        ("ol", 2, "óis"),
        ("il", 1, "s"),
        ("m", 1, "ns"),
        ("ês", 2, "eses"),
    ):
        if word.endswith(ending):
            unstressed = ending in ("el", "il") and any(letter in "áéíóúâêô" for letter in word)
            return word[:-2] + "eis" if unstressed else word[:-stem] + suffix
    if word[-1] in "rz":
        return word + "es"
    return word if word[-1] in "sx" else word + "s"


def nouns(spec: str) -> list[Noun]:
    """Read `word`, `word:gender`, `word:gender:plural` or `masculine|feminine`; a phrase inflects its first word."""
    result = []
    for index, option in enumerate(spec.split("|")):
        word, gender, many = (*option.split(":"), "", "")[:3]
        head, _, rest = word.partition(" ")
        if not gender:
            feminine = head.endswith(_FEMININE_ENDINGS) and head not in _MASCULINE_IN_A
            # In a pair the masculine stands first, whatever its ending: economista|economista
            gender = "mf"[index] if "|" in spec else "f" if feminine else "m"
        many = many or plural(head) + (f" {_plural_tail(rest)}" if rest else "")
        result.append(Noun(word, many, gender))
    return result


def _plural_tail(rest: str) -> str:
    # "banco central" -> "bancos centrais", but "cana de açúcar" keeps its complement.
    return rest if " " in rest or rest.startswith("d") else plural(rest)


@cache
def agree(lemma: str, gender: str, number: str) -> Word:
    """Inflect a determiner or adjective; what is neither is left as it is."""
    index = (gender == "f") + 2 * (number == "p")
    if lemma in _DETERMINERS:
        return _DETERMINERS[lemma][index], "DET"
    if lemma in _CLOSED:
        return lemma, _CLOSED[lemma]
    if lemma in _ADJECTIVES:
        return _ADJECTIVES[lemma][index], "ADJ"
    word = lemma
    if gender == "f":
        if lemma.endswith("o"):
            word = lemma[:-1] + "a"
        elif lemma.endswith("or") and lemma not in (
            "melhor",
            "pior",
            "maior",
            "menor",
            "anterior",
            "inferior",
        ):
            word = lemma + "a"
        elif lemma.endswith("ês"):
            word = lemma[:-2] + "esa"
    return (plural(word) if number == "p" else word), "ADJ"


@cache
def _forms(lemma: str) -> dict[str, str]:
    group = next((end for end in ("air", "ear") if lemma.endswith(end)), lemma[-2:])
    if lemma.endswith("uir") and not lemma.endswith(("guir", "quir")):
        group = "uir"
    endings = _ENDINGS.get(group, _ENDINGS["er"])  # pôr: fully irregular
    stem = lemma.removesuffix(group)
    forms = {slot: stem + ending for slot, ending in zip(_SLOTS, endings, strict=True)}
    if group == "ar":  # the sound of c, g, ç is kept before e
        soft = {"c": "qu", "g": "gu", "ç": "c"}.get(stem[-1])
        forms["past.1"] = (stem[:-1] + soft if soft else stem) + "ei"
    else:
        soft = {"c": "ç", "g": "j"}.get(stem[-1]) if group in ("er", "ir") else None
        forms["pres.1"] = (stem[:-1] + soft if soft else stem) + endings[7]
    irregular = zip(_SLOTS, _IRREGULAR.get(lemma, "").split(), strict=False)
    forms |= {slot: form for slot, form in irregular if form != "-"}
    forms["inf"] = lemma
    forms["ger"] = "pondo" if lemma == "pôr" else lemma[:-1] + "ndo"
    if lemma.endswith("por"):
        forms["ger"] = lemma[:-2] + "ondo"
    return forms


@cache
def conjugate(lemma: str, tense: str, number: str, gender: str) -> list[Word]:
    """Conjugate in the third person (or the first, number `1`), with the auxiliaries of compound tenses."""
    if tense.startswith("neg."):
        return [("não", "ADV"), *conjugate(lemma, tense[4:], number, gender)]
    if lemma.startswith("se_"):
        words = conjugate(lemma[3:], tense, number, gender)
        # The pronoun stands before the main verb: "tinha se sentado".
        return [*words[:-1], ("me" if number == "1" else "se", "PRON"), words[-1]]
    compound = {"plu": ("ter", "imp"), "prog": ("estar", "imp"), "fut": ("ir", "pres")}.get(tense)
    if tense.startswith("pass."):
        participle = agree(_forms(lemma)["part"], gender, number)[0]
        return [*conjugate("ser", tense[5:], number, gender), (participle, "VERB")]
    if compound is not None:
        form = {"plu": "part", "prog": "ger", "fut": "inf"}[tense]
        return [*conjugate(*compound, number, gender), (_forms(lemma)[form], "VERB")]
    return [(_simple(lemma, tense, number, gender), "AUX" if lemma in _AUX else "VERB")]


def _simple(lemma: str, tense: str, number: str, gender: str) -> str:
    forms = _forms(lemma)
    if tense in ("inf", "ger"):
        return forms[tense]
    if tense == "part":
        return agree(forms["part"], gender, number)[0]
    person = "s" if tense == "imp" and number == "1" else number  # eu cantava, ele cantava
    return forms[f"{tense}.{person}"]


def contract(tokens: Sequence[Token]) -> list[Token]:
    """Join preposition and article or pronoun: de+ o -> do, em+ aquela -> naquela, a+ a -> à."""
    result: list[Token] = []
    for token in tokens:
        before = result[-1] if result else None
        joined = (
            _CONTRACTIONS.get(before.text.lower(), {}).get(token.text)
            if before and before.contracts
            else None
        )
        if before is not None and joined is not None:
            result[-1] = before._replace(text=joined, contracts=False)
        else:
            result.append(token)
    return result


_CLOSED = {
    word: tag
    for tag, words in {
        "ADP": "de em com para por sobre sob entre até desde sem contra após do da dos das no na nos nas ao à aos às "
        "pelo pela pelos pelas num numa dele dela deles delas nele nela",
        "DET": "o os as um uma uns umas",
        "PRON": "ele ela eles elas quem se me lhe nos isso isto aquilo tudo nada ninguém alguém você eu nós",
        "CCONJ": "e mas ou nem porém",
        "SCONJ": "porque enquanto quando embora se",
        "ADV": "não muito mais menos bem mal já ainda também sempre nunca ontem hoje amanhã aqui ali lá cedo tarde depois "
        "antes agora quase só apenas logo bastante tão",
    }.items()
    for word in words.split()
}
_UNITS = "zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete dezoito dezenove vinte"

PORTUGUESE = Language(
    code="pt",
    conjugate=conjugate,
    agree=agree,
    contract=contract,
    closed=_CLOSED,
    abbreviations=frozenset("Sr. Sra. Dr. Dra. Av. Prof. Profa. R. etc. nº".split()),
    numerals=tuple((word, {"um": "uma", "dois": "duas"}.get(word, word)) for word in _UNITS.split()),
    decimal=",",
)
