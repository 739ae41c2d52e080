package import StoreCore
package import StoreJSON
import StoreJSONSchema
package import StoreTelemetry
package import StoreWire

/// The permission of a sender that may dispatch only some actions.
package protocol DispatchPermission: AnyObject, Sendable {
    /// Checks that the sender may dispatch the action with this payload.
    ///
    /// - Throws: the problem for the answer, if the sender may not dispatch the action.
    func check(_ action: FoundAction, _ payload: JSONNode?) throws(Problem)

    /// Returns true if the sender may dispatch the action with at least one payload. `place` is the
    /// index of the action in ``ActionTable/entries``.
    func mayDispatch(actionAt index: Int) -> Bool
}

/// A reader for the actions in request bodies. The reader looks up each action once.
///
/// The type is a class, so that all requests of a route share one reader without a copy.
package final class DispatchBodyReader: Sendable {
    /// The maximum number of bytes of an action's `meta`.
    static let metaBytesMax = 4 << 10

    package let table: ActionTable
    package let senders: ActionSenders
    package let limits: JSONLimits
    private let logger: Logger
    private let decoder: JSONDecoder

    package init(
        table: ActionTable,
        senders: ActionSenders,
        limits: JSONLimits,
        logger: Logger
    ) {
        self.table = table
        self.senders = senders
        self.limits = limits
        self.logger = logger
        decoder = JSONDecoder(limits: limits)
    }

    /// Returns the reader for the views of one instance of the module.
    package func reader(forInstance id: String) -> DispatchBodyReader {
        guard case .views(let module, _) = senders else { return self }
        return DispatchBodyReader(
            table: table,
            senders: .views(of: module, instance: id),
            limits: limits,
            logger: logger
        )
    }

    /// Reads an action. `index` is the action's index, if the body is an array.
    ///
    /// - Throws: a problem with the status 422 if the action's name is unknown, or if its payload
    ///   or `meta` can't be read. The status is 403 if the resource does not take the action, or
    ///   the sender may not dispatch the action.
    package func member(
        _ object: ActionObject,
        at index: Int? = nil,
        by sender: (any DispatchPermission)? = nil,
        in trace: String? = nil
    ) throws(Problem) -> EnvelopeMember {
        guard let type = object.type, type.kind == .string else {
            throw .invalidPayload(
                pointer: pointer(index) + "/type",
                expected: "a string, the action's wire name"
            )
        }
        guard let found = find(type) else {
            throw .unknownAction(
                type.stringValue ?? "",
                known: table.signatures(for: senders, by: sender).map(\.name),
                pointer: index == nil ? nil : pointer(index) + "/type"
            )
        }
        guard senders.mayDispatch(found) else {
            throw .forbidden(senders.refusal(of: type.stringValue ?? "", found))
        }
        let payload = try payload(of: object, at: index)
        if let sender { try sender.check(found, payload) }
        var meta = try meta(of: object, at: index)
        if let trace, object.meta?.member("traceparent") == nil {
            meta = TraceContext.meta(trace, before: meta)
        }
        do {
            return try found.member(payload, meta: meta, decoder)
        } catch {
            throw .unfitValue(error, for: found.wireName, at: pointer(index), logger)
        }
    }

    private func find(_ type: JSONNode) -> FoundAction? {
        if case .everybody = senders, let name = type.bytesIfWithoutEscapes { return table[name] }
        return type.stringValue.flatMap { table[senders.wireName($0)] }
    }

    private func payload(of object: ActionObject, at index: Int?) throws(Problem) -> JSONNode? {
        guard let payload = object.payload else { return nil }
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

    private func meta(of object: ActionObject, at index: Int?) throws(Problem) -> [UInt8]? {
        guard let meta = object.meta else { return nil }
        guard meta.kind == .object, meta.byteRange.count <= Self.metaBytesMax else {
            throw .invalidPayload(
                pointer: pointer(index) + "/meta",
                expected: "an object of at most \(Self.metaBytesMax) bytes"
            )
        }
        return Array(meta.source)
    }

    /// Returns the JSON Pointer to the action in the body, for problems.
    private func pointer(_ index: Int?) -> String { index.map { "/\($0)" } ?? "" }
}

extension Problem {
    /// Returns the problem 422 for a value that does not fit its type. `name` is the name of the
    /// action or request, and `prefix` is the pointer to the value in the body. If the type's own
    /// code threw the error inside `error`, only the log gets the text of the inner error.
    package static func unfitValue(
        _ error: JSONError,
        for name: String,
        at prefix: String = "",
        _ logger: Logger
    ) -> Problem {
        let pointer = prefix + error.pointer
        if let failure = error.underlyingError {
            let place = pointer.isEmpty ? "the body" : "'\(pointer)'"
            logger.error(
                .payloadRefused,
                "the type's own decoding code refused \(place) of \(name): \(failure)"
            )
        }
        return .invalidPayload(
            pointer: pointer,
            expected: error.expected ?? "another value",
            detail: error.message
        )
    }
}

extension Logger {
    /// Logs the reason why a client's action or other request was refused, with the pointer to the
    /// faulty member. The answer may leave out both, because the client may lack the permission to
    /// read the reason and the pointer.
    ///
    /// The log bounds the number of refusals, to leave room for more important lines. The log drops
    /// and counts further refusals.
    ///
    /// - Parameters:
    ///   - refusal: the refusal with its reason and pointer.
    ///   - type: the wire name, with `{id}` for an instance.
    ///   - request: the id of the request, as in the problem.
    package func note(_ refusal: Refusal, of type: String, in request: String) {
        writeDetails(1, .actionRefused) { _ in
            let reason = refusal.reducerError.map { "\($0)" } ?? refusal.reason
            var fields = [
                LogField("type", .name(type)), LogField("request", .name(request)),
                LogField("reason", .text(reason)),
            ]
            if let pointer = refusal.pointer { fields.append(LogField("pointer", .name(pointer))) }
            return [("refused", fields)]
        }
    }
}
