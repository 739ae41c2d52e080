import EventStream
import StatePublishing
import Wire

// The streams, each on behalf of the caller that reads it.

extension StateReader {
    /// The stream of the whole state.
    func stateStream(for caller: Caller) -> VisibleStream {
        VisibleStream(.state, streams) {
            $0.isAtHand(.root)
        } first: { [streams] in
            streams.announce(in: $0)
            return nil
        }
    }

    /// The stream of what a pointer leads to.
    ///
    /// - Throws: 503 where too many different pointers are watched already.
    func stream(at pointer: JSONPointer, for caller: Caller) throws(Problem) -> VisibleStream {
        try stream(of: streams.parts.part(at: pointer), for: caller)
    }

    /// The stream of a part of the state.
    ///
    /// - Throws: as ``stream(at:for:)`` does.
    func stream(of part: WatchedPart, for caller: Caller) throws(Problem) -> VisibleStream {
        guard !part.isPointer || streams.parts.hasRoom(for: part) else {
            throw .overloaded("\(PartStreams.pointersMax) different pointers are watched already")
        }
        return VisibleStream(part.topic, streams) { [documents] in
            part.isAtHand(in: $0, documents)
        } first: { [streams] in
            streams.announce(part, in: $0)
            return nil
        }
    }

    /// The stream of the slice of the module at a place.
    func sliceStream(of module: Int, for caller: Caller) -> VisibleStream {
        let topic = SliceTopic.slice(module)
        return VisibleStream(streams.topic(of: topic), streams) {
            $0.slices[module].isAtHand
        } first: { [streams] in
            streams.announce(topic, in: $0)
            return nil
        }
    }

    /// The same with what the slice was before each change. A new reader was not there before, so
    /// its first frame has no earlier slice.
    func changeStream(of module: Int, for caller: Caller) -> VisibleStream {
        VisibleStream(streams.topic(of: .change(module)), streams) {
            $0.slices[module].isAtHand
        } first: { [streams] in
            streams.beginning(of: module, in: $0)
        }
    }

    /// The stream of a view. It begins when the Core has shown the view the state.
    func stream(of view: ViewRequest, for caller: Caller) -> VisibleStream {
        VisibleStream(view.topic, streams) { _ in
            true
        } first: { [streams] _ in
            streams.announce(view)
            return nil
        }
    }

    /// The topic of the log of actions.
    func logTopic(for caller: Caller) -> TopicID { .actions }
}
