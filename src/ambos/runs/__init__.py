"""Whole runs: from a recipe to a run folder."""
