/// Effects as the ledger keeps them, so that a start can run them again: one piece of work, or
/// several with their order.
public struct KeptWork: Codable, Equatable, Sendable {
    /// The most bytes of one encoded input.
    public static let inputBytesMax = 65_536

    /// The name of the side effect's type; `nil` for a module's ``KeepingModule/Work``.
    let type: String?
    /// The encoded input; `nil` if this is several.
    package let input: String?
    let id: String?
    let cancelInFlight: Bool?
    let retry: Retry?
    /// Several at the same time.
    let all: [KeptWork]?
    /// Several, one after the other.
    let row: [KeptWork]?

    private init(
        type: String? = nil,
        input: String? = nil,
        id: String? = nil,
        cancelInFlight: Bool? = nil,
        retry: Retry? = nil,
        all: [KeptWork]? = nil,
        row: [KeptWork]? = nil
    ) {
        self.type = type
        self.input = input
        self.id = id
        self.cancelInFlight = cancelInFlight
        self.retry = retry
        self.all = all
        self.row = row
    }

    /// A module's work, encoded.
    package init(input: String) {
        self.init(type: nil, input: input)
    }

    /// Encodes the parts of an effect that are to run again; `nil` if there is none. The other
    /// parts are lost.
    ///
    /// - Throws: ``KeptWorkError`` where an input can't be written, or is too long.
    init?<State>(_ effect: Effect<State>, _ codec: any WorkCodec) throws(KeptWorkError) {
        func several(_ effects: [Effect<State>]) throws(KeptWorkError) -> [KeptWork] {
            var kept: [KeptWork] = []
            for effect in effects {
                if let work = try KeptWork(effect, codec) { kept.append(work) }
            }
            return kept
        }
        switch effect.form {
        case .none, .cancel, .endSession: return nil
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
            let kept = try several(effects)
            guard let first = kept.first else { return nil }
            self = kept.count == 1 ? first : KeptWork(all: kept)
        case .concatenate(let effects):
            let kept = try several(effects)
            guard let first = kept.first else { return nil }
            self = kept.count == 1 ? first : KeptWork(row: kept)
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
            throw .unwritable("\(Swift.type(of: value))", "\(error)")
        }
        guard text.utf8.count <= inputBytesMax else {
            throw .tooLong("\(Swift.type(of: value))", bytes: text.utf8.count)
        }
        return text
    }

    /// Reads the input of one piece of work.
    package func value<Value: Decodable>(
        as type: Value.Type,
        _ codec: any WorkCodec
    ) throws -> Value {
        try codec.value(type, of: input ?? "")
    }

    /// Makes the effect again. `single` makes one piece of work.
    func effect<State>(
        _ single: (KeptWork) throws -> Effect<State>
    ) throws -> Effect<State> {
        if let all { return Effect(.merge(try all.map { try $0.effect(single) })) }
        if let row { return Effect(.concatenate(try row.map { try $0.effect(single) })) }
        return try single(self)
    }
}

/// Writes the input of an effect down and reads it: the form in which the ledger keeps it.
package protocol WorkCodec: Sendable {
    func text(of value: any Encodable & Sendable) throws -> String
    func value<Value: Decodable>(_ type: Value.Type, of text: String) throws -> Value
}

/// Why an effect can't be kept over a restart. The action that asked for it is not applied.
package enum KeptWorkError: Error, Equatable, CustomStringConvertible {
    /// A value of this type, and why it can't be encoded.
    case unwritable(String, String)
    /// A value of this type has so many bytes.
    case tooLong(String, bytes: Int)

    package var description: String {
        switch self {
        case .unwritable(let type, let reason):
            "an effect is to go on after a restart, and its input, a \(type), can't be encoded: "
                + "\(reason)"
        case .tooLong(let type, let bytes):
            "an effect is to go on after a restart, and its input, a \(type), has \(bytes) bytes; "
                + "at most \(KeptWork.inputBytesMax) are kept: let it have a name of the data, and "
                + "read the data from the state"
        }
    }
}

/// Why work that the ledger has kept can't be run again.
package struct UnknownWork: Error, CustomStringConvertible {
    package let description: String
}
