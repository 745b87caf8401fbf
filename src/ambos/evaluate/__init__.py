"""Predictions to evidence: metrics with intervals, calibration, comparison."""
