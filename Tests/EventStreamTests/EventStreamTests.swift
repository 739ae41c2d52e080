// Placeholder until this layer's first test lands.
