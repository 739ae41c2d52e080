import StoreCore
package import StoreJSON
package import StorePlatform
package import StoreWire

/// An encoder for the state of each published version. The Core's thread makes every call.
package protocol StateWriter<State>: AnyObject {
    associatedtype State

    /// Returns the encoded state of a version.
    ///
    /// - Throws: an error if the state has no JSON form. After an error, the next call starts from
    ///   the last committed state.
    func snapshot(_ state: State, at tag: Tag) throws(JSONError) -> Snapshot

    /// Keeps the states that were encoded since the last commit: call this function when a batch is
    /// committed. Later states then share the encoded slices.
    func keepEncoded()

    /// Discards the states that were encoded since the last commit.
    func discardEncoded()
}

extension StateWriter {
    /// Returns the version that is published before the first commit.
    package func firstSnapshot(_ state: State, at tag: Tag) throws(JSONError) -> Snapshot {
        defer { keepEncoded() }
        return try snapshot(state, at: tag)
    }
}

/// A writer that encodes any state as a whole.
package final class WholeStateWriter<State: Encodable>: StateWriter {
    private let encoder: JSONEncoder
    private let times: EncodeTimes?

    /// Makes a writer. `times` records the duration of each encoding; `nil` to record no durations.
    package init(_ encoder: JSONEncoder, measuring times: EncodeTimes? = nil) {
        self.encoder = encoder
        self.times = times
    }

    package func snapshot(_ state: State, at tag: Tag) throws(JSONError) -> Snapshot {
        let began = times == nil ? 0 : SystemTime.steadyNanoseconds()
        let snapshot = Snapshot(tag: tag, state: try encoder.encodeShared(state))
        times?.observe(0, from: began, to: SystemTime.steadyNanoseconds())
        return snapshot
    }

    package func keepEncoded() {}
    package func discardEncoded() {}
}

/// The durations of the encodings of the state, by module. After an action, each slice that may
/// have changed is encoded. So an action on a large slice costs much more than the reducer alone.
/// The Core's thread adds durations; any thread may read them.
package final class EncodeTimes: Sendable {
    /// The name under which a state without modules is measured.
    package static let wholeStateName = "state"

    private let modules: [String]
    private let timesByModule: [Histogram]

    /// - Parameter modules: the names of the modules, in their order. Without names, the state is
    ///   measured as a whole.
    package init(_ modules: [String]) {
        self.modules = modules.isEmpty ? [Self.wholeStateName] : modules
        timesByModule = self.modules.map { _ in Histogram() }
    }

    /// Adds the time of one encoding of a module's slice. `began` and `ended` are nanoseconds of
    /// the steady clock.
    func observe(_ module: Int, from began: UInt64, to ended: UInt64) {
        guard module < timesByModule.count else { return }
        timesByModule[module].observe(ended &- began)
    }

    /// The durations for each module whose slice was encoded. Any thread may read this property.
    package var all: [(module: String, times: Distribution)] {
        zip(modules, timesByModule).map { ($0, $1.distribution) }.filter { $0.times.count > 0 }
    }
}
