"""From hidden vectors to predictions: what is learnt from labelled rows."""
