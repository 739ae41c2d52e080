package import StoreTelemetry
package import StoreWire

extension Problem {
    /// Returns 422 for a value that does not fit its type. `name` is the name of the action or
    /// request, and `prefix` the pointer to its JSON in the body. An error that the type's own code
    /// threw goes only to the log.
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
