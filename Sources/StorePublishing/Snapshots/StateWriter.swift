import StoreCore
import StorePlatform
package import StoreWire

/// An encoder for the state of each published version. The Core's thread makes every call.
package protocol StateWriter<State>: AnyObject {
    associatedtype State

    /// Returns the encoded state of a version.
    ///
    /// - Throws: if the state has no JSON form. The next call then starts from the last committed
    ///   state.
    func snapshot(_ state: State, at tag: Tag) throws(JSONError) -> Snapshot

    /// Keeps the encoded states since the last commit: they are published.
    func committed()

    /// Discards the encoded states since the last commit.
    func rolledBack()
}

/// A writer that encodes any state as a whole.
package final class WholeStateWriter<State: Encodable>: StateWriter {
    private let encoder: JSONEncoder

    private let times: EncodeTimes?

    /// Makes a writer; `times` gets the duration of each encoding, if it is not `nil`.
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

    package func committed() {}
    package func rolledBack() {}
}
