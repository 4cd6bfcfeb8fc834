"""The parameters of slurm.conf by the line they stand in (slurm.conf(5) of Slurm 26.11, and what 24.11 calls
otherwise).
"""

from __future__ import annotations

from collections.abc import Mapping

from bedplate.spec.slurm_parameters.scope import Scope

_CLUSTER = """
    AccountingStorageBackupHost AccountingStorageEnforce AccountingStorageExternalHost
    AccountingStorageHost AccountingStorageParameters AccountingStoragePass AccountingStoragePort
    AccountingStorageTRES AccountingStorageType AccountingStorageUser AccountingStoreFlags
    AcctGatherEnergyType AcctGatherFilesystemType AcctGatherInfinibandType
    AcctGatherInterconnectType AcctGatherNodeFreq AcctGatherProfileType AllowSpecResourcesUsage
    AuthAltParameters AuthAltTypes AuthInfo AuthType BatchStartTimeout BcastExclude BcastParameters
    BurstBufferType CertgenParameters CertgenType CertmgrParameters CertmgrType CliFilterParameters
    CliFilterPlugins ClusterName CommunicationParameters CompleteWait CpuFreqDef CpuFreqGovernors
    CredType DataParserParameters DebugFlags DefCpuPerGPU DefMemPerCPU DefMemPerGPU DefMemPerNode
    DefRuntimePlugin DependencyParameters DisableRootJobs EioTimeout EnforcePartLimits Epilog
    EpilogMsgTime EpilogSlurmctld EpilogTimeout FairShareDampeningFactor FederationParameters
    FirstJobId GpuFreqDef GresTypes GroupUpdateForce GroupUpdateTime HashPlugin HealthCheckInterval
    HealthCheckNodeState HealthCheckProgram HealthCheckTimeout HttpParserType InactiveLimit
    InteractiveStepOptions JobAcctGatherFrequency JobAcctGatherParams JobAcctGatherType JobCompHost
    JobCompLoc JobCompParams JobCompPass JobCompPassScript JobCompPort JobCompType JobCompUser
    JobContainerType JobFileAppend JobRequeue JobSubmitPlugins KillOnBadExit KillWait
    LaunchParameters LicenseParameters Licenses LogTimeFormat MailDomain MailProg MaxArraySize
    MaxBatchRequeue MaxDBDMsgs MaxJobCount MaxJobId MaxMemPerCPU MaxMemPerNode MaxNodeCount
    MaxStepCount MaxTasksPerNode MCSParameters MCSPlugin MessageTimeout MetricsAuthUsers
    MetricsParameters MetricsType MinJobAge MpiDefault MpiParams NamespaceType NodeFeaturesPlugins
    OverTimeLimit PluginDir PlugStackConfig PreemptExemptTime PreemptMode PreemptParameters
    PreemptType PrEpParameters PrEpPlugins PriorityCalcPeriod PriorityDecayHalfLife
    PriorityFavorSmall PriorityFlags PriorityMaxAge PriorityParameters PrioritySiteFactorParameters
    PrioritySiteFactorPlugin PriorityType PriorityUsageResetPeriod PriorityWeightAge
    PriorityWeightAssoc PriorityWeightFairshare PriorityWeightJobSize PriorityWeightPartition
    PriorityWeightQOS PriorityWeightTRES PrivateData ProctrackType Prolog PrologEpilogTimeout
    PrologFlags PrologSlurmctld PrologTimeout PropagatePrioProcess PropagateResourceLimits
    PropagateResourceLimitsExcept RebootProgram ReconfigFlags RequeueExit RequeueExitHold
    ResumeFailProgram ResumeProgram ResumeRate ResumeTimeout ResvEpilog ResvOverRun ResvProlog
    ReturnToService SchedulerParameters SchedulerTimeSlice SchedulerType ScronParameters SelectType
    SelectTypeParameters SerializerParameters SerializerPlugins SlurmctldAddr SlurmctldDebug
    SlurmctldHost SlurmctldHttpAuthParameters SlurmctldLogFile SlurmctldParameters SlurmctldPidFile
    SlurmctldPort SlurmctldPrimaryOffProg SlurmctldPrimaryOnProg SlurmctldSyslogDebug
    SlurmctldTimeout SlurmdDebug SlurmdHttpAuthParameters SlurmdLogFile SlurmdParameters
    SlurmdPidFile SlurmdPort SlurmdSpoolDir SlurmdSyslogDebug SlurmdTimeout SlurmdUser
    SlurmrestdParameters SlurmSchedLogFile SlurmSchedLogLevel SlurmstepdParameters SlurmUser
    SrunEpilog SrunPortRange SrunProlog StateSaveLocation SuspendExcNodes SuspendExcParts
    SuspendExcStates SuspendProgram SuspendRate SuspendTime SuspendTimeout SwitchParameters
    SwitchType TaskEpilog TaskPlugin TaskPluginParam TaskProlog TCPTimeout TLSParameters TLSType
    TmpFS TopologyParam TopologyPlugin TrackWCKey TreeWidth UnkillableStepProgram
    UnkillableStepTimeout UrlParserType UsePAM VSizeFactor WaitTime
"""
_QUEUE = """
    AllocNodes AllowAccounts AllowGroups AllowQos Alternate CpuBind Default DefaultTime DefCpuPerGPU
    DefMemPerCPU DefMemPerGPU DefMemPerNode DenyAccounts DenyQos DisableRootJobs Exclusive
    ExclusiveTopo ExclusiveUser GraceTime Hidden LLN MaxCPUsPerNode MaxCPUsPerSocket MaxMemPerCPU
    MaxMemPerNode MaxNodes MaxTime MinNodes Nodes OverSubscribe OverTimeLimit PartitionName
    PowerDownOnIdle PreemptMode PriorityJobFactor PriorityTier QOS ReqResv ResumeTimeout RootOnly
    SelectTypeParameters State SuspendTime SuspendTimeout Topology TRESBillingWeights
"""
_NODE = """
    BcastAddr Boards CoreSpecCount CoresPerSocket CpuBind CPUs CpuSpecList Features Gres
    MemSpecLimit NodeAddr NodeHostname NodeName Parameters Port RealMemory Reason
    RestrictedCoresPerGPU Sockets SocketsPerBoard State SuspendTime ThreadsPerCore TmpDisk Topology
    Weight
"""
KNOWN: Mapping[Scope, tuple[str, ...]] = {
    "cluster": tuple(_CLUSTER.split()),
    "queue": tuple(_QUEUE.split()),
    "node-group": tuple(_NODE.split()),
}
"""Names as Slurm spells them; Slurm itself does not mind capitals."""


def spelled(parameter: str, *, scope: Scope) -> str | None:
    """Return the parameter as Slurm spells it, None where Slurm has none of this name at this place."""
    wanted = parameter.lower()
    return next((name for name in KNOWN[scope] if name.lower() == wanted), None)
