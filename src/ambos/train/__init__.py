"""Loss to weights: the loop, and what it leaves behind for people to look at."""
