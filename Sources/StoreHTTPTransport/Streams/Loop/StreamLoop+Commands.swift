import StoreEventStream
import StoreWire
import Synchronization

// A command goes to every present reader of its topic. A command has no version: it is never the
// newest frame of the topic, and a reader that joins later does not get it.

extension StreamLoop {
    /// Sends a chunk to every reader of a topic, in any mode.
    func send(_ command: Bytes, to topic: TopicID) {
        for mode in StreamMode.allCases {
            guard let number = topicNumbers[topic.carrying(mode)] else { continue }
            // The list may shrink during the loop.
            let readers = topics[Int(number)].slots
            for slot in readers { sendCommand(command, to: slot) }
        }
    }

    /// Sends a reader a command, at once or behind its backlog. Drops the command if the bound is
    /// reached or the stream is closing.
    func sendCommand(_ command: Bytes, to slot: Int32) {
        guard let state = behind[slot] else {
            let known = topics[Int(slots[Int(slot)].topic)].newestVersion
            return deliver(command, to: slot, having: known)
        }
        guard !state.isClosing, state.commands.count < BehindReader.commandsMax else {
            writer.counters.commandsDropped.add(1, ordering: .relaxed)
            return
        }
        behind[slot]?.commands.append(command)
    }
}
