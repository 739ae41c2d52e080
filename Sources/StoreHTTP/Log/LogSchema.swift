package import StoreWire

/// The schemas of answers from the log's records, by their names in the description of the API.
package enum LogSchema {
    package static var definitions: [JSONSchema.Property] {
        [.init("LogPage", page), .init("Blame", blame)]
    }

    private static var page: JSONSchema {
        .object([
            .init("epoch", .string()), .init("version", .unsigned),
            .init("actions", .array(of: .reference("LogRecord"))), .init("next", .string()),
        ])
    }

    /// The schema of the action that last changed a part of the state.
    private static var blame: JSONSchema {
        let action = JSONSchema.object([
            .init("version", .unsigned), .init("type", .string()), .init("time", .string()),
            .init("principal", .string(), isRequired: false),
            .init("role", .string(), isRequired: false),
        ])
        return .object([
            .init("epoch", .string()), .init("version", .unsigned), .init("pointer", .string()),
            .init("changedBy", .nullable(action)), .init("searchedAfter", .unsigned),
            .init("complete", .boolean),
        ])
    }
}
