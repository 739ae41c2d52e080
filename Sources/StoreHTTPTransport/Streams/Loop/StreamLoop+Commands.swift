import StoreEventStream
import StoreWire
import Synchronization

// A command goes to all that read its topic when its turn comes. It has no version: it is no
// topic's newest frame, and no reader that joins later is sent it.

extension StreamLoop {
    /// Sends a chunk to all that read a topic, in any mode.
    func send(_ command: Bytes, to topic: TopicID) {
        for mode in StreamMode.allCases {
            guard let number = topicNumbers[topic.carrying(mode)] else { continue }
            // The list may shrink on the way.
            let readers = topics[Int(number)].slots
            for slot in readers { sendCommand(command, to: slot) }
        }
    }

    /// Sends a reader a command, now or behind its backlog. Those that are too many are dropped.
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
