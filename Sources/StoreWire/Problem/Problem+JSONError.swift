extension Problem {
    /// Converts the error of a body into a problem. The status is 400 or 413 if the bytes are
    /// invalid, and 422 if they do not fit the type. A body that is too large has more than
    /// `bytesMax` bytes.
    package init(_ error: JSONError, bytesMax: Int = JSONLimits().bytesMax) {
        switch error.code {
        case .tooLarge:
            self = .tooLarge(limit: bytesMax)
        case _ where error.isSyntax:
            self = .malformedJSON(offset: error.offset, message: error.message)
        default:
            self = .invalidPayload(
                pointer: error.pointer,
                expected: error.expected ?? "another value",
                detail: error.message
            )
        }
    }
}
