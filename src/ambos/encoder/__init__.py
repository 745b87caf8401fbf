"""Batches to hidden vectors."""
