// Placeholder until this layer's first type lands.
