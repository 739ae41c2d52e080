package import StoreWire

/// The newest version of a topic in patch mode, and the frames that lead there from earlier
/// versions.
///
/// Each frame is made when the first reader needs it, and shared by all readers that have the same
/// version.
package struct PatchFrames: Sendable {
    /// How many patches are made for one version, besides the one from the version before. Readers
    /// that are further back get the whole instead: a patch costs more to make than the whole.
    package static let patchesMax = 16

    package private(set) var newest: (version: UInt64, state: any TopicState)?
    private let framing: StreamFraming
    /// The version before the newest.
    private var previous: UInt64?
    /// The frames that lead to the newest, by the version that they begin with.
    private var patches: [UInt64: Bytes] = [:]
    private var whole: Bytes?

    package init(framing: @escaping StreamFraming) {
        self.framing = framing
    }

    /// Takes a newer version. Returns `false`, and takes nothing, where it is not newer.
    package mutating func publish(_ state: any TopicState, version: UInt64) -> Bool {
        if let newest, version <= newest.version { return false }
        previous = newest?.version
        newest = (version, state)
        patches.removeAll(keepingCapacity: true)
        whole = nil
        return true
    }

    /// The frame for a reader that has this version, as its socket is sent it; `nil` before the
    /// first version. `kept` gives an earlier version, where it is still there.
    package mutating func frame(
        from known: UInt64?,
        kept: (UInt64) -> (any TopicState)?
    ) -> Bytes? {
        guard let newest else { return nil }
        guard let known else { return whole(of: newest.state) }
        if let patch = patches[known] { return patch }
        guard known == previous || patches.count < Self.patchesMax, let old = kept(known) else {
            return whole(of: newest.state)
        }
        let patch = newest.state.patch(from: old, isSkip: known != previous)
        let frame = patch.map(framing) ?? whole(of: newest.state)
        patches[known] = frame
        return frame
    }

    private mutating func whole(of state: any TopicState) -> Bytes {
        if let whole { return whole }
        let frame = framing(state.whole())
        whole = frame
        return frame
    }
}
