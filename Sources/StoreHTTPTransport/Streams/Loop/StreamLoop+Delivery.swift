import StoreJSON
import StoreWire
import Synchronization

// In patch mode each reader gets a patch from its own version to the newest. Nothing is queued for
// a reader that is behind. When the reader's socket takes more bytes, the reader gets one patch
// over all missed versions.

extension StreamLoop {
    func deliverState(
        _ topic: Int32,
        _ version: UInt64,
        _ state: any TopicState,
        _ filter: ReaderFilter?
    ) {
        let number = Int(topic)
        let previousNewest = topics[number].patches.newest
        guard topics[number].patches.setNewest(state, version: version) else {
            // A reader that joins may bring an older version, from which the reader's patch can
            // start.
            if let previousNewest, version < previousNewest.version {
                let cost = state.unsharedByteCount(beside: previousNewest.state)
                recentStates.keep(state, of: topic, at: version, bytes: cost)
            }
            return
        }
        if let previousNewest {
            let cost = previousNewest.state.unsharedByteCount(beside: state)
            recentStates.keep(
                previousNewest.state,
                of: topic,
                at: previousNewest.version,
                bytes: cost
            )
        }
        // The list is copied, because it may shrink while readers are sent frames.
        let readers = topics[number].slots
        for slot in readers where filter?(subscriberNamesBySlot[slot]) != false {
            sendNewest(to: slot)
        }
    }

    /// Sends a reader in patch mode the newest version, at once or after the reader's backlog.
    func sendNewest(to slot: Int32) {
        let index = Int(slot)
        let number = slots[index].topicNumber
        guard slots[index].descriptor >= 0,
            let version = topics[Int(number)].patches.newest?.version
        else { return }
        let readerVersion = knownVersion(of: slot)
        if let readerVersion, readerVersion >= version {
            // The reader has this version from an earlier stream.
            slots[index].nextVersion = version &+ 1
            return
        }
        guard behindReaders.isEmpty || behindReaders[slot] == nil else {
            if behindReaders[slot]?.needsNewest == true {
                writer.counters.framesConflated.add(1, ordering: .relaxed)
            }
            behindReaders[slot]?.needsNewest = true
            return
        }
        let frame = topics[Int(number)].patches.frame(from: readerVersion) {
            recentStates.state(of: number, at: $0)
        }
        guard let frame else { return }
        slots[index].nextVersion = version &+ 1
        pauseIfDue()
        deliver(frame, to: slot, having: readerVersion)
    }

    /// Returns the version that a reader in patch mode has, or is being sent.
    func knownVersion(of slot: Int32) -> UInt64? {
        let next = slots[Int(slot)].nextVersion
        return next == 0 ? nil : next - 1
    }
}

// A command goes to every present reader of its topic. A command has no version: it is never the
// newest frame of the topic, and a reader that joins later does not get it.

extension StreamLoop {
    /// Sends a chunk to every reader of a topic, in any mode.
    func sendCommand(_ command: Bytes, toReadersOf topic: TopicID) {
        for mode in StreamMode.allCases {
            guard let number = topicNumbers[topic.inMode(mode)] else { continue }
            // The list is copied, because it may shrink while readers are sent frames.
            let readers = topics[Int(number)].slots
            for slot in readers { sendCommand(command, to: slot) }
        }
    }

    /// Sends a reader a command, at once or after the reader's backlog. Drops the command if the
    /// maximum number of commands waits already, or if the stream is closing.
    func sendCommand(_ command: Bytes, to slot: Int32) {
        guard let state = behindReaders[slot] else {
            let known = topics[Int(slots[Int(slot)].topicNumber)].newestVersion
            return deliver(command, to: slot, having: known)
        }
        guard !state.isClosing, state.commands.count < BehindReader.commandsMax else {
            writer.counters.commandsDropped.add(1, ordering: .relaxed)
            return
        }
        behindReaders[slot]?.commands.append(command)
    }
}
