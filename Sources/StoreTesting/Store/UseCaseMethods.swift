import StoreCore

/// The methods of a store's use cases, by their paths.
struct UseCaseMethods: Sendable {
    typealias Begin = @Sendable (any Codable & Sendable, String?, TestSender) async throws -> Void

    private var methods: [String: Begin] = [:]

    /// Makes an empty value, for a store whose modules can't make a Core.
    init() {}

    init<Root: RootState>(
        _ modules: Root.Modules,
        _ core: Core<Root>,
        _ admission: TestAdmission
    ) {
        for mount in modules {
            for useCase in mount.slice.useCases {
                methods[useCase.path] = { input, instance, sender in
                    try admission.useCase(useCase.path, sender)
                    let session = sender.session ?? SessionName.shared
                    let address = SliceAddress(
                        module: mount.name,
                        SliceKey(
                            session: mount.slice.ownership == .session ? session : nil,
                            instance: instance
                        )
                    )
                    let request = try useCase.request(input, to: address)
                    try await withCheckedThrowingContinuation { continuation in
                        do {
                            try core.handle.offer(
                                request,
                                principal: sender.principal,
                                from: sender.session,
                                completion: Begun(continuation)
                            )
                        } catch {
                            continuation.resume(throwing: error)
                        }
                    }
                }
            }
        }
    }

    /// Resumes the caller when the work has begun, or was refused.
    private final class Begun: Completion {
        private let continuation: CheckedContinuation<Void, any Error>

        init(_ continuation: CheckedContinuation<Void, any Error>) {
            self.continuation = continuation
        }

        func complete(_ outcome: Outcome) {
            switch outcome {
            case .applied: continuation.resume()
            case .refused(let refusal, _): continuation.resume(throwing: refusal)
            default: continuation.resume(throwing: CoreFailure.closed)
            }
        }
    }

    var paths: [String] { methods.keys.sorted() }

    subscript(path: String) -> Begin? { methods[path] }
}
