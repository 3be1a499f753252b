package workercomponent

import "go.uber.org/fx"

var Module = fx.Options()
