"""Writes a bilingual sample: a corpus to pretrain on and labelled sets for every task."""

from ambos.sample.write import ENTRIES, SampleFile, SampleSummary, write_sample

__all__ = ["ENTRIES", "SampleFile", "SampleSummary", "write_sample"]
