/// The encoded work of an entry in ``PendingEffects``, the ledger: a single task, or several tasks
/// with their order. The next start of the store makes the effects again from this value.
public struct KeptWork: Codable, Equatable, Sendable {
    /// The maximum size of one encoded input, in bytes.
    public static let inputBytesMax = 65_536

    /// The name of the side effect's type; `nil` for a module's ``KeepingModule/Work``.
    var type: String?
    /// The encoded input; `nil` if this value has several tasks.
    package var input: String?
    var id: String?
    var cancelInFlight: Bool?
    var retry: Retry?
    /// The tasks that run at the same time.
    var all: [KeptWork]?
    /// The tasks that run one after the other.
    var row: [KeptWork]?
}

extension KeptWork {
    /// Makes the kept work of a single task from a module's encoded work.
    package init(input: String) { self.init(type: nil, input: input) }

    /// Encodes the tasks of an effect that run again after a restart; `nil` if no task does. All
    /// other tasks are lost.
    ///
    /// - Throws: ``KeptWorkError`` if an input cannot be encoded, or is too long.
    init?<State>(_ effect: Effect<State>, _ codec: any WorkCodec) throws(KeptWorkError) {
        func encodeAll(
            _ effects: [Effect<State>],
            as form: ([KeptWork]) -> KeptWork
        ) throws(KeptWorkError) -> KeptWork? {
            var kept: [KeptWork] = []
            for effect in effects {
                if let work = try KeptWork(effect, codec) { kept.append(work) }
            }
            return kept.count > 1 ? form(kept) : kept.first
        }
        switch effect.kind {
        case .none, .cancel, .timer, .endSession, .endUser: return nil
        case .run(let run):
            guard run.onRestart == .retried, let input = run.input else { return nil }
            self.init(
                type: input.type,
                input: try Self.text(of: input.value, codec),
                id: run.id,
                cancelInFlight: run.cancelInFlight ? true : nil,
                retry: run.retry == .never ? nil : run.retry
            )
        case .merge(let effects):
            guard let work = try encodeAll(effects, as: { KeptWork(all: $0) }) else { return nil }
            self = work
        case .concatenate(let effects):
            guard let work = try encodeAll(effects, as: { KeptWork(row: $0) }) else { return nil }
            self = work
        }
    }

    private static func text(
        of value: any Encodable & Sendable,
        _ codec: any WorkCodec
    ) throws(KeptWorkError) -> String {
        let text: String
        do {
            text = try codec.text(of: value)
        } catch {
            throw .unencodable(type: "\(Swift.type(of: value))", reason: "\(error)")
        }
        guard text.utf8.count <= inputBytesMax else {
            throw .tooLong("\(Swift.type(of: value))", bytes: text.utf8.count)
        }
        return text
    }

    package func value<Value: Decodable>(
        as type: Value.Type,
        _ codec: any WorkCodec
    ) throws -> Value {
        try codec.value(type, of: input ?? "")
    }

    /// Makes the effect again from the kept work. `single` makes the effect of each single task.
    func effect<State>(_ single: (KeptWork) throws -> Effect<State>) throws -> Effect<State> {
        if let all { return Effect(.merge(try all.map { try $0.effect(single) })) }
        if let row { return Effect(.concatenate(try row.map { try $0.effect(single) })) }
        return try single(self)
    }
}

/// The codec for the inputs of effects in the ledger.
package protocol WorkCodec: Sendable {
    func text(of value: any Encodable & Sendable) throws -> String
    func value<Value: Decodable>(_ type: Value.Type, of text: String) throws -> Value
}

/// The reason why the ledger cannot store an effect. The action that asked for the effect is then
/// not applied.
package enum KeptWorkError: Error, Equatable, CustomStringConvertible {
    /// A value of this type cannot be encoded, for this reason.
    case unencodable(type: String, reason: String)
    /// An encoded value of this type has this number of bytes.
    case tooLong(String, bytes: Int)

    package var description: String {
        switch self {
        case .unencodable(let type, let reason):
            "the input of an effect to repeat after a restart, a \(type), can't be encoded: "
                + "\(reason)"
        case .tooLong(let type, let bytes):
            "the input of an effect to repeat after a restart, a \(type), has \(bytes) bytes; "
                + "at most \(KeptWork.inputBytesMax) are allowed: give the effect only the id of the "
                + "data, and read the data from the state when the effect runs"
        }
    }
}

package struct UnknownWork: Error, CustomStringConvertible {
    package let description: String
}
