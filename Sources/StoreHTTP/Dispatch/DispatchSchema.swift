import StoreWire

extension JSONSchema {
    /// The answer to an applied action.
    static let applied = JSONSchema.object([
        .init("epoch", .string()), .init("first", .unsigned, isRequired: false),
        .init("version", .unsigned), .init("changed", .boolean),
        .init("completed", .boolean, isRequired: false),
        .init("value", .any, isRequired: false),
        .init("state", .reference("State"), isRequired: false),
    ])

    /// The answer to a call of a use case, or to a notification.
    static let begun = JSONSchema.object([
        .init("epoch", .string()), .init("version", .unsigned), .init("completed", .boolean),
    ])

    /// The answer to a dry run.
    static let dryRun = JSONSchema.object([
        .init("changed", .boolean),
        .init("patch", .array(of: .object([.init("op", .string()), .init("path", .string())]))),
    ])
}
