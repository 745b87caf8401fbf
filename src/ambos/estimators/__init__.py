"""Estimators of scikit-learn: text in, what was learnt out; they fit into its pipelines and searches."""

from ambos.estimators.answerer import QuestionAnswerer
from ambos.estimators.classifier import TextClassifier
from ambos.estimators.embedder import TextEmbedder
from ambos.estimators.pair_classifier import PairClassifier
from ambos.estimators.regressor import TextRegressor
from ambos.estimators.tagger import Tagger

__all__ = ["PairClassifier", "QuestionAnswerer", "Tagger", "TextClassifier", "TextEmbedder", "TextRegressor"]
