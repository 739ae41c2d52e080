extension Unicode.Scalar {
    /// True if the scalar is shown as a character, and has no other effect. False for control
    /// characters, line and paragraph separators, and format characters such as a change of the
    /// text's direction. Also false for unassigned and private scalars.
    ///
    /// Messages and the log replace or escape all other scalars of a client's input.
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
