"""The folder a user ships: weights, read safely and written whole."""
