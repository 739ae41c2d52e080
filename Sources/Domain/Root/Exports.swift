// A target that imports the state also gets the interfaces of its modules.
@_exported public import DefaultCounterInterface
@_exported public import DefaultHomeInterface
@_exported public import DefaultLoginInterface
@_exported public import DefaultLoginUseCases
@_exported public import DefaultMovieCardInterface
@_exported public import DefaultTodosInterface
@_exported public import DefaultUserInterface
