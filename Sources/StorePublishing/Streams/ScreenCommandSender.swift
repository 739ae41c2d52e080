import StoreActionCatalog
package import StoreCore
package import StoreJSON
package import StoreTelemetry
import StoreTexts
import StoreWire
import Synchronization

/// The sender of commands to the screens of sessions. The readers of the session's route get the
/// command on their open streams.
///
/// The publishing thread sends a command after all versions that were committed before the command.
/// Commands are not stored, so later readers do not get them.
package final class ScreenCommandSender: Sendable {
    /// The most commands that wait for the publishing thread.
    package static let waitingMax = 1_024
    /// The most bytes of a command with its payload.
    package static let bytesMax = 64 << 10

    private let streams: StateStreams
    private let encoder: JSONEncoder
    private let logger: Logger
    private let waitingCount = Atomic(0)
    /// The name of the module that has the sessions.
    private let sessionsModule: String
    private let onDrop: @Sendable () -> Void

    /// Makes a sender. The sender calls `onDrop` for each command that can't be sent, and for each
    /// topic without room for a command.
    package init(
        of module: String,
        to streams: StateStreams,
        _ encoder: JSONEncoder,
        _ logger: Logger,
        onDrop: @escaping @Sendable () -> Void
    ) {
        self.sessionsModule = module
        self.streams = streams
        self.encoder = encoder
        self.logger = logger
        self.onDrop = onDrop
    }

    /// Returns the pointer to a session's route. The streams of this pointer get the commands.
    package static func routePointer(of session: String, in module: String) -> JSONPointer {
        JSONPointer(tokens: [module, session, "route"])
    }

    /// Sends a command. Any thread may call this function, which never waits.
    package func send(_ command: ScreenCommand) {
        let topics = topics(of: command.session)
        guard topics.contains(where: streams.distributor.hasReaders) else { return }
        guard waitingCount.add(1, ordering: .relaxed).newValue <= Self.waitingMax else {
            waitingCount.subtract(1, ordering: .relaxed)
            return onDrop()
        }
        streams.publishingThread.perform { [self] _ in
            waitingCount.subtract(1, ordering: .relaxed)
            guard let frame = frame(of: command) else { return onDrop() }
            for topic in topics where streams.distributor.hasReaders(topic) {
                if !streams.distributor.streams.sendUnversioned(frame, to: topic) { onDrop() }
            }
        }
    }

    /// Returns the topics of a session's route. An operator without a session reads the route of
    /// all clients without a session.
    private func topics(of session: String) -> [TopicID] {
        let route = Self.routePointer(of: session, in: sessionsModule)
        let own = streams.parts.part(at: route, for: Viewer(session: ExactText(session))).topic
        guard session.isSame(as: SessionName.shared) else { return [own] }
        return [own, streams.parts.part(at: route).topic]
    }

    private func frame(of command: ScreenCommand) -> Bytes? {
        do {
            var json = JSONWriter()
            let payload = try command.payload.map { try encoder.encode(AnyEncodable($0)) }
            json.object { json in
                json.member("command", command.name)
                if let payload {
                    json.key("payload")
                    json.raw(payload)
                }
            }
            let data = json.bytes
            if data.count <= Self.bytesMax { return SSEFrame.command(data) }
            logger.error(
                .commandUnsent,
                "the command '\(command.name)' has \(data.count) bytes, and at most "
                    + "\(Self.bytesMax) may be sent; put large data into the state"
            )
        } catch {
            logger.error(.commandUnsent, "the command '\(command.name)' has no JSON form: \(error)")
        }
        return nil
    }
}
