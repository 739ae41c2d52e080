import HTTPTransport
import StoreCore
import Wire

/// The actions of one request body, read and checked.
struct DispatchBody<State: Sendable> {
    /// The most that an action's `meta` may take.
    static var metaBytesMax: Int { 4 << 10 }

    /// Whether the body was an array, of however many actions.
    let isBatch: Bool
    let members: [EnvelopeMember]
    /// Who is told of what it changes; `nil` for everybody.
    let audience: Audience?

    init(
        _ exchange: HTTPExchange,
        registry: ActionRegistry<State>,
        for audience: ActionAudience = .everybody,
        _ limits: JSONLimits,
        _ batchMax: Int
    ) throws(Problem) {
        let document = try exchange.document(limits)
        switch document.root.kind {
        case .object:
            isBatch = false
            self.audience = try Self.audience(of: document.root, at: "")
            members = [try Self.member(document.root, at: "", registry, audience, limits)]
        case .array:
            let elements = document.root.elements
            guard 1...batchMax ~= document.root.count else {
                throw .badRequest(
                    "The array has \(document.root.count) actions; allowed are "
                        + "1...\(batchMax)."
                )
            }
            isBatch = true
            self.audience = try Self.audience(of: Array(elements))
            var members: [EnvelopeMember] = []
            members.reserveCapacity(document.root.count)
            for element in elements {
                let pointer = "/\(members.count)"
                guard element.kind == .object else {
                    throw .badRequest(
                        "Member \(pointer) of the array is no action; each is an object "
                            + "such as {\"type\":\"…\",\"payload\":{…}}."
                    )
                }
                members.append(try Self.member(element, at: pointer, registry, audience, limits))
            }
            self.members = members
        default:
            throw .badRequest(
                "The body is neither an action, {\"type\":\"…\",\"payload\":{…}}, nor an "
                    + "array of 1 to \(batchMax) of them."
            )
        }
    }

    private static func member(
        _ node: JSONNode,
        at pointer: String,
        _ registry: ActionRegistry<State>,
        _ audience: ActionAudience,
        _ limits: JSONLimits
    ) throws(Problem) -> EnvelopeMember {
        guard let name = node.member(named: "type")?.stringValue else {
            throw .invalidPayload(
                pointer: pointer + "/type",
                expected: "a string, the action's wire name"
            )
        }
        guard let entry = registry[audience.wireName(name)] else {
            throw .unknownAction(
                name,
                known: registry.names(for: audience),
                pointer: pointer.isEmpty ? nil : pointer + "/type"
            )
        }
        if let reason = audience.refusal(of: name, entry.access, entry.module) {
            throw .forbidden(reason)
        }
        var payload = node.member(named: "payload")
        if let given = payload, given.kind != .object {
            guard given.kind == .null else {
                throw .invalidPayload(
                    pointer: pointer + "/payload",
                    expected: "an object, null or nothing"
                )
            }
            payload = nil
        }
        let meta = try meta(of: node, at: pointer)
        do {
            return try member(entry, payload, meta, limits)
        } catch {
            throw .invalidPayload(
                pointer: pointer + error.pointer,
                expected: error.expected ?? "another value",
                detail: error.message
            )
        }
    }

    private static func member(
        _ entry: ActionRegistry<State>.Entry,
        _ payload: JSONNode?,
        _ meta: [UInt8]?,
        _ limits: JSONLimits
    ) throws(JSONError) -> EnvelopeMember {
        let decoder = JSONDecoder(limits: limits)
        guard let payload, !entry.secrets.isEmpty else {
            return EnvelopeMember(
                action: try entry.decode(payload, decoder),
                type: entry.wireName,
                payload: payload.map { Array($0.source) } ?? Array("{}".utf8),
                meta: meta
            )
        }
        let kept = payload.source(without: entry.secrets)
        let document = try JSONDocument(parsing: kept, limits: limits)
        return EnvelopeMember(
            action: try entry.decode(document.root, decoder),
            type: entry.wireName,
            payload: kept,
            meta: meta
        )
    }

    private static func meta(of node: JSONNode, at pointer: String) throws(Problem) -> [UInt8]? {
        guard let meta = node.member(named: "meta"), meta.kind != .null else { return nil }
        guard meta.kind == .object, meta.byteRange.count <= metaBytesMax else {
            throw .invalidPayload(
                pointer: pointer + "/meta",
                expected: "an object of at most \(metaBytesMax) bytes"
            )
        }
        return Array(meta.source)
    }
}
