"""The families that are loaded and saved, by their `model_type`."""

from ambos.bundle.families_bert import BERT, CAMEMBERT, ELECTRA, ROBERTA, XLM_ROBERTA
from ambos.bundle.families_other import ALBERT, DISTILBERT, MODERNBERT
from ambos.bundle.family import Family

FAMILIES: dict[str, Family] = {
    family.model_type: family
    for family in (BERT, ROBERTA, XLM_ROBERTA, CAMEMBERT, ALBERT, DISTILBERT, ELECTRA, MODERNBERT)
}
