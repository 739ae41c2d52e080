import StoreEventStream

/// A reader on its way to the writer's thread.
struct JoiningReader: Sendable {
    let descriptor: CInt
    let beginning: StreamBeginning
    let onEnd: (@Sendable () -> Void)?
}
