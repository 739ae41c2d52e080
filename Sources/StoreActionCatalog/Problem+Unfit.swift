package import StoreTelemetry
package import StoreWire

extension Problem {
    /// 422 for a value that its type can't hold: what was sent to `name`, read from the JSON at
    /// `prefix` of the body. What the type's own code threw is for the log alone.
    package static func unfit(
        _ error: JSONError,
        for name: String,
        at prefix: String = "",
        _ logger: Logger
    ) -> Problem {
        let pointer = prefix + error.pointer
        if let failure = error.failure {
            let place = pointer.isEmpty ? "the body" : "'\(pointer)'"
            logger.error(
                .payloadRefused,
                "the type's own code refused \(place) of \(name): \(failure)"
            )
        }
        return .invalidPayload(
            pointer: pointer,
            expected: error.expected ?? "another value",
            detail: error.message
        )
    }
}
