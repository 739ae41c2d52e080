package import StoreEventStream

// The operator's requests to the writer. Its thread answers them between two turns.

extension StreamWriter {
    /// Requests the list of open streams. Any thread; the writer's thread calls `answer` once.
    ///
    /// The list delays the streams by about a microsecond for each.
    package func list(_ answer: @escaping @Sendable ([OpenStream]) -> Void) {
        let request = StreamRequest.list(answer)
        if !submit(request) { request.answerEmpty() }
    }

    /// Requests the end of a stream, which gets `bye` behind the frame that is begun. Any thread;
    /// the writer's thread calls `answer` once, with `true` if there is such a stream.
    ///
    /// A reader that takes nothing stays until its time for that is over.
    package func end(_ id: StreamID, _ answer: @escaping @Sendable (Bool) -> Void) {
        let request = StreamRequest.end(id, answer)
        if !submit(request) { request.answerEmpty() }
    }

    /// Ends the streams of a session; each gets `bye`. Any thread.
    package func endStreams(of session: String) {
        _ = submit(.endSession(session))
    }

    /// Ends the streams that their owners may no longer read; each gets `bye`. Any thread.
    package func endForbiddenStreams() {
        _ = submit(.endForbidden)
    }
}

extension StreamLoop {
    func answer(_ request: StreamRequest) {
        switch request {
        case .list(let answer): answer(open)
        case .end(let id, let answer): answer(end(id))
        case .endSession(let session):
            for (slot, owner) in sessions where owner == session { end(slot) }
        case .shed(let part): shed(part)
        case .endForbidden:
            for (slot, credential) in credentials where !credential.isAllowed() { end(slot) }
        }
    }

    /// The open streams in the order of their slots.
    private var open: [OpenStream] {
        slots.indices.compactMap { index in
            let slot = slots[index]
            guard slot.descriptor >= 0 else { return nil }
            let readers = topics[Int(slot.topic)]
            let behind = behind[Int32(index)]
            let reader = logReaders[Int32(index)]
            let sent =
                readers.id.mode == .patch
                ? knownVersion(of: Int32(index)) : readers.topic.newestVersion
            let newest = behind == nil ? sent : behind?.version
            return OpenStream(
                id: StreamID(slot: Int32(index), generation: slot.generation),
                topic: readers.id,
                address: PeerAddress(of: slot.descriptor),
                seconds: max(0, Int(now) - Int(slot.joined)),
                version: reader == nil ? newest : reader?.knownVersion,
                isBehind: behind != nil
                    || reader.map { $0.version < log?.version ?? 0 } == true
            )
        }
    }

    private func end(_ id: StreamID) -> Bool {
        let index = Int(id.slot)
        guard slots.indices.contains(index), slots[index].descriptor >= 0,
            slots[index].generation == id.generation
        else { return false }
        end(id.slot)
        return true
    }

    func end(_ slot: Int32) {
        if behind[slot]?.isClosing != true {
            closeSlot(slot, with: bye(.expired), because: .expired)
        }
    }
}
