"""From files to tokens: corpus readers, sentence splitter, tokenizers and the memory-mapped token store."""
