package import StoreCore
package import StoreTelemetry
package import StoreWire

/// What a sender may dispatch, where that is limited.
package protocol DispatchPermission: AnyObject, Sendable {
    /// - Throws: what is answered where the sender may not dispatch the action with this payload.
    func check(_ action: FoundAction, _ payload: JSONNode?) throws(Problem)

    /// Whether it may dispatch the action at a place of ``ActionTable/entries`` with some payload.
    func mayDispatch(_ place: Int) -> Bool
}

/// Reads the actions of request bodies, each of which is looked up once.
///
/// An object, so that a route makes it once, and nothing of it is copied for a request.
package final class MemberReader: Sendable {
    /// The most that an action's `meta` may take.
    static let metaBytesMax = 4 << 10

    package let table: ActionTable
    package let audience: ActionAudience
    package let limits: JSONLimits
    private let logger: Logger

    package init(
        table: ActionTable,
        audience: ActionAudience,
        limits: JSONLimits,
        logger: Logger
    ) {
        self.table = table
        self.audience = audience
        self.limits = limits
        self.logger = logger
    }

    /// The same for the view of one instance of the module.
    package func ofInstance(_ id: String) -> MemberReader {
        guard case .views(let module, _) = audience else { return self }
        return MemberReader(
            table: table,
            audience: .views(of: module, instance: id),
            limits: limits,
            logger: logger
        )
    }

    /// Reads one action, the one at this index where the body is an array.
    ///
    /// - Throws: 422 where it has no name, no action has that name or its payload or `meta` can't
    ///   be read; 403 where the audience, or its sender, may not dispatch it.
    package func member(
        _ node: JSONNode,
        at index: Int? = nil,
        by sender: (any DispatchPermission)? = nil,
        in trace: String? = nil
    ) throws(Problem) -> EnvelopeMember {
        guard let type = node.member("type"), type.kind == .string else {
            throw .invalidPayload(
                pointer: pointer(index) + "/type",
                expected: "a string, the action's wire name"
            )
        }
        guard let found = find(type) else {
            throw .unknownAction(
                type.stringValue ?? "",
                known: table.forms(for: audience, by: sender).map(\.name),
                pointer: index == nil ? nil : pointer(index) + "/type"
            )
        }
        guard audience.takes(found) else {
            throw .forbidden(audience.refusal(of: type.stringValue ?? "", found))
        }
        let payload = try payload(of: node, at: index)
        if let sender { try sender.check(found, payload) }
        var meta = try meta(of: node, at: index)
        if let trace, node.member("meta")?.member("traceparent") == nil {
            meta = TraceContext.meta(trace, before: meta)
        }
        do {
            return try found.member(payload, meta: meta, JSONDecoder(limits: limits))
        } catch {
            throw .unfit(error, for: found.wireName, at: pointer(index), logger)
        }
    }

    private func find(_ type: JSONNode) -> FoundAction? {
        if case .everybody = audience, let name = type.plainText { return table[name] }
        return type.stringValue.flatMap { table[audience.wireName($0)] }
    }

    private func payload(of node: JSONNode, at index: Int?) throws(Problem) -> JSONNode? {
        guard let payload = node.member("payload") else { return nil }
        switch payload.kind {
        case .object: return payload
        case .null: return nil
        default:
            throw .invalidPayload(
                pointer: pointer(index) + "/payload",
                expected: "an object, null or nothing"
            )
        }
    }

    private func meta(of node: JSONNode, at index: Int?) throws(Problem) -> [UInt8]? {
        guard let meta = node.member("meta") else { return nil }
        guard meta.kind == .object, meta.byteRange.count <= Self.metaBytesMax else {
            throw .invalidPayload(
                pointer: pointer(index) + "/meta",
                expected: "an object of at most \(Self.metaBytesMax) bytes"
            )
        }
        return Array(meta.source)
    }

    /// Where the action stands in the body; only errors need it.
    private func pointer(_ index: Int?) -> String { index.map { "/\($0)" } ?? "" }
}
