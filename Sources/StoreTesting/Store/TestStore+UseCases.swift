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
    ///   - place: the source location at which a failure is reported.
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
        guard let begin = useCaseStartersByPath[path] else {
            reporter.fail(
                "There is no use case '\(path)'.",
                "There are: \(useCaseStartersByPath.keys.sorted().joined(separator: ", "))",
                at: place
            )
            return
        }
        reportUnpreparedDependencies(at: place)
        report(unstated: events.take(), before: "\(path) is called", at: place)
        do {
            try await begin(input, instance, TestSender(principal, session))
        } catch {
            reporter.fail(
                "The use case '\(path)' did not begin: \(Refusal(error).reason)",
                at: place
            )
        }
        await waitUntilIdle(at: place)
    }
}

extension TestStore {
    /// A function that begins the work of a use case's method, for an input, an instance and a
    /// sender.
    typealias UseCaseStarter =
        @Sendable (any Codable & Sendable, String?, TestSender) async throws -> Void

    /// Returns the methods of the modules' use cases, by their paths.
    static func useCaseStarters<Root: RootState>(
        of modules: Root.Modules,
        _ core: Core<Root>,
        _ admission: TestAdmission?
    ) -> [String: UseCaseStarter] {
        var methods: [String: UseCaseStarter] = [:]
        for mount in modules {
            for useCase in mount.useCases {
                methods[useCase.path] = { input, instance, sender in
                    try admission?.checkUseCase(useCase.path, sender)
                    let owner = mount.slicePlace.ownership.owner(
                        of: sender.principal?.name,
                        in: sender.session
                    )
                    let key = SliceKey(owner: owner, instance: instance)
                    let address = SliceAddress(module: mount.name, key)
                    let request = try useCase.makeRequest(input, to: address)
                    try await withCheckedThrowingContinuation { continuation in
                        do {
                            try core.engine.offer(
                                request: Envelope(
                                    members: [EnvelopeMember(request)],
                                    principal: sender.principal,
                                    session: sender.session,
                                    isLimitedToReadableSlices: sender.principal != nil
                                        || sender.session != nil,
                                    completion: UseCaseStartCompletion(continuation)
                                )
                            )
                        } catch {
                            continuation.resume(throwing: error)
                        }
                    }
                }
            }
        }
        return methods
    }
}

/// A completion that resumes the caller when the work of a use case has begun, or was refused.
private final class UseCaseStartCompletion: Completion {
    private let continuation: CheckedContinuation<Void, any Error>

    init(_ continuation: CheckedContinuation<Void, any Error>) { self.continuation = continuation }

    func complete(_ outcome: Outcome) {
        continuation.resume(with: outcome.dispatchError.map { .failure($0) } ?? .success(()))
    }
}
