"""Bundles to answers: the verbs of a loaded model."""
