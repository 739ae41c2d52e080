public import StoreCore
public import Testing

extension TestStore {
    /// Calls a method of a use case, as `POST /usecases/<use case>/<method>` does.
    ///
    /// ```swift
    /// await store.call("login", "login", Credentials(userName: "demo", password: "demo"))
    /// await store.receive(Login.Internal.loading) { $0.login.progress = .loading }
    /// ```
    ///
    /// The test has to receive the actions that the use case dispatches.
    ///
    /// - Parameters:
    ///   - useCase: the use case's name.
    ///   - method: the method's name.
    ///   - input: a value of the method's input type.
    ///   - instance: the instance of the module, if the module has instances.
    ///   - principal: the caller, such as `author/u1`.
    ///   - session: the session that the call comes from.
    ///   - place: the place at which a failure is reported.
    public nonisolated(nonsending) func call(
        _ useCase: String,
        _ method: String,
        _ input: any Codable & Sendable = NoFields(),
        to instance: String? = nil,
        as principal: String? = nil,
        session: String? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async {
        let path = useCase + "/" + method
        guard let begin = useCases[path] else {
            fail(
                "There is no use case '\(path)'.",
                "There are: \(useCases.paths.joined(separator: ", "))",
                at: place
            )
            return
        }
        reportUnprepared(at: place)
        report(unstated: events.take(), before: "\(path) is called", at: place)
        do {
            try await begin(input, instance, TestSender(principal, session))
        } catch {
            fail("The use case '\(path)' did not begin: \(Refusal(error).reason)", nil, at: place)
        }
        await rest(at: place)
    }
}

/// The methods of a store's use cases, by their paths.
struct UseCaseMethods: Sendable {
    typealias Begin = @Sendable (any Codable & Sendable, String?, TestSender) async throws -> Void

    private var methods: [String: Begin] = [:]

    /// Makes an empty value, for a store whose modules can't make a Core.
    init() {}

    init<Root: RootState>(_ modules: Root.Modules, _ core: Core<Root>, _ admission: TestAdmission) {
        for mount in modules {
            for useCase in mount.useCases {
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
                            try core.engine.offer(
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
            if let error = outcome.dispatchError {
                continuation.resume(throwing: error)
            } else {
                continuation.resume()
            }
        }
    }

    var paths: [String] { methods.keys.sorted() }

    subscript(path: String) -> Begin? { methods[path] }
}
