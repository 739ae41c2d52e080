extension Unicode.Scalar {
    /// Whether it shows as something, and does nothing besides: no control character, no separator
    /// of lines, none that changes the direction of the text, none that is not assigned.
    ///
    /// What a client sends is repeated in messages and in the log with such characters alone.
    package var isPrintable: Bool {
        if value < 0x7F { return value >= 0x20 }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
            .unassigned:
            false
        default: true
        }
    }
}
