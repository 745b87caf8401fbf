"""Writes a bilingual sample: a corpus to pretrain on and labelled sets for every task."""

from ambos.sample.write import SampleFile, SampleSummary, write_sample

__all__ = ["SampleFile", "SampleSummary", "write_sample"]
