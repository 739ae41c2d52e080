import StoreActionCatalog
import StoreCore
import StoreHTTPTransport
import StoreWire

/// The actions of a request body or a link, read and checked.
struct DispatchBody {
    /// True if the body was an array, even of a single action.
    let isBatch: Bool
    let members: [EnvelopeMember]
    /// The readers that get the event for the change; `nil` for all.
    let audience: Audience?

    /// Reads the action of a link.
    ///
    /// - Throws: 400 with the position of the error if the text is no JSON object. Otherwise the
    ///   same problems as for a body.
    init(
        link: String,
        by reader: MemberReader,
        from sender: (any DispatchPermission)?,
        in trace: String? = nil
    ) throws(Problem) {
        let document: JSONDocument
        do {
            document = try JSONDocument(parsing: Array(link.utf8), limits: reader.limits)
        } catch {
            throw .badQuery(
                "action",
                allowed: "an action as JSON: \(error.message) (at byte \(error.offset))"
            )
        }
        guard document.root.kind == .object else {
            throw .badQuery(
                "action",
                allowed: "one action as JSON, an object such as {\"type\":\"…\",\"payload\":{…}}"
            )
        }
        isBatch = false
        audience = try Self.audience(of: document.root, at: "")
        members = [try reader.member(document.root, by: sender, in: trace)]
    }

    init(
        _ request: RequestContext,
        by reader: MemberReader,
        _ batchMax: Int,
        from sender: (any DispatchPermission)?,
        in trace: String? = nil
    ) throws(Problem) {
        let document = try request.document(reader.limits)
        switch document.root.kind {
        case .object:
            isBatch = false
            self.audience = try Self.audience(of: document.root, at: "")
            members = [try reader.member(document.root, by: sender, in: trace)]
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
                guard element.kind == .object else {
                    throw .invalidPayload(
                        pointer: "/\(members.count)",
                        expected: "an action, an object such as {\"type\":\"…\",\"payload\":{…}}"
                    )
                }
                members.append(
                    try reader.member(element, at: members.count, by: sender, in: trace)
                )
            }
            self.members = members
        default:
            throw .badRequest(
                "The body is neither an action, {\"type\":\"…\",\"payload\":{…}}, nor an "
                    + "array of 1 to \(batchMax) of them."
            )
        }
    }
}
