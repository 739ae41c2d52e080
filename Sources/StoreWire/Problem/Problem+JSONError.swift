extension Problem {
    /// What a failed reading of a body means to the client: 400 and 413 where the bytes are at
    /// fault, 422 where they do not fit the type. A body that is too large has passed `bytesMax`.
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
