"""Texts with one label: the opinion in a review, the topic of a note."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from ambos.sample.grammar import Bound, Values
from ambos.sample.language import Noun
from ambos.sample.lexicon import Aspect, Tongue
from ambos.sample.split import Item, LabelledSet, Part
from ambos.sample.tokens import join

OPINIONS = ("positive", "negative")
TOPICS = ("cooking", "football", "finance", "school", "hospital", "music", "technology", "law")
_LAST_REMARKS = 2  # the last remarks and verb phrases of a topic are kept from training
_LAST_PHRASES = 4


@dataclass(frozen=True, slots=True)
class _Judgement:
    """A thing, an adjective, and the template that says or denies the one of the other."""

    thing: Noun
    adjective: str
    template: str

    def text(self, tongue: Tongue, rng: Random) -> str:
        values: Values = {"A": Bound(self.thing), "B": Bound(lemma=self.adjective)}
        return join(tongue.grammar.fragment(self.template, rng, values=values, topic="sentiment"))[0]


def _judge(tongue: Tongue, aspect: Aspect, *, good: bool, rng: Random) -> _Judgement:
    # A good thing is said in two ways, by praise or by denying blame: no adjective gives the label away.
    affirmed = rng.random() < 0.85
    template = tongue.grammar.pick("affirm" if affirmed else "deny", rng, "sentiment")
    return _Judgement(aspect.thing, rng.choice(aspect.praise if good == affirmed else aspect.blame), template)


def opinion(
    tongue: Tongue,
    label: str,
    rng: Random,
    *,
    domain: str = "",
    keeps: Callable[[str], bool] = lambda _: True,
) -> str | None:
    """Return a review with a label.

    Parameters
    ----------
    domain
        What is reviewed (restaurant, film...); any by default.
    keeps
        Says whether the adjective that decides may stand in its clause and frame; if not, there is no review.
    """
    good = label == "positive"
    aspect = rng.choice([aspect for aspect in tongue.aspects if domain in ("", aspect.domain)])
    decisive = _judge(tongue, aspect, good=good, rng=rng)
    frame = tongue.grammar.pick("both" if rng.random() < 0.25 else "one", rng, "sentiment")
    if not keeps(f"{tongue.code}/{decisive.adjective}/{decisive.template}/{frame}"):
        return None
    others = [other for other in tongue.aspects if other.domain == aspect.domain and other is not aspect]
    main = decisive.text(tongue, rng)
    same = _judge(tongue, rng.choice(others), good=good, rng=rng).text(tongue, rng)
    opposite = _judge(tongue, rng.choice(others), good=not good, rng=rng).text(tongue, rng)
    text = frame.replace("{m}", main).replace("{n}", same).replace("{o}", opposite)
    text = text[0].upper() + text[1:]
    if rng.random() < 0.5:
        lead = tongue.grammar.text(tongue.grammar.pick("lead", rng, "sentiment"), rng)
        text = f"{lead} {text[0].lower()}{text[1:]}" if text[:2] != "I " else f"{lead} {text}"
    return text


def _sentiment(tongue: Tongue, part: Part, label: str, rng: Random) -> Item | None:
    text = opinion(tongue, label, rng, keeps=part.keeps)
    return None if text is None else Item({"text": text, "label": label, "language": tongue.code}, text)


def _topic(tongue: Tongue, part: Part, label: str, rng: Random) -> Item:
    grammar = tongue.grammar
    values = tongue.cast(rng)
    values["S"] = values["C"]
    remarks = grammar.lexicon.templates[f"{label}.remark"]
    phrases = grammar.lexicon.templates[f"{label}.vp"]
    if part.name == "train":
        remarks, phrases = remarks[:-_LAST_REMARKS], phrases[:-_LAST_PHRASES]
    else:
        remarks, phrases = remarks[-_LAST_REMARKS:], phrases[-_LAST_PHRASES:]
    lemma, _, rest = rng.choice(phrases).partition(" ")
    told = f"<when>, {{S}} [S {rng.choice(lemma.split('|'))} past] {rest}."
    templates = rng.choice(((told,), (rng.choice(remarks),), (told, rng.choice(remarks))))
    text = " ".join(grammar.text(template, rng, values=dict(values), topic=label) for template in templates)
    return Item({"text": text, "label": label, "language": tongue.code}, text)


SENTIMENT = LabelledSet("sentiment", (4000, 500, 500), lambda _: OPINIONS, _sentiment)
TOPIC = LabelledSet("topic", (4000, 500, 500), lambda _: TOPICS, _topic)
