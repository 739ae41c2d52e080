extension Unicode.Scalar {
    /// True if the scalar shows as a character, and does nothing else. False for control
    /// characters, separators of lines, format characters such as a change of the text's direction,
    /// and unassigned or private scalars.
    ///
    /// In messages and in the log, a client's input has only printable scalars.
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
