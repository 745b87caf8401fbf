"""ambos: bidirectional transformer encoders, from raw text to a model that is measured and served."""

__version__ = "0.1.0"
