"""Runs and bundles to insight: pictures, pages and reports."""
