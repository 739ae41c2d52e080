// A target that imports this module also gets the interfaces of the modules in the state.
@_exported public import DefaultCounterInterface
@_exported public import DefaultHomeInterface
@_exported public import DefaultLoginInterface
@_exported public import DefaultLoginUseCases
@_exported public import DefaultMovieCardInterface
@_exported public import DefaultTodosInterface
@_exported public import DefaultUserInterface
