"""sbatch scripts for the clusters that environment files describe: what is asked, what follows, the text."""
