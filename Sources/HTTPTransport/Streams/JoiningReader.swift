import EventStream
import Wire

/// A reader on its way to the writer's thread.
struct JoiningReader: Sendable {
    let descriptor: CInt
    let opening: Bytes
    let topic: TopicID
    let resume: Resume
    let owner: StreamOwner
    let ended: (@Sendable () -> Void)?
}
