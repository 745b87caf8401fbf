"""From hidden vectors to a pretraining loss: parts that combine in one run."""
