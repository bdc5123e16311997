import os
config.name = 'plugin'
config.test_source_root = os.path.dirname(__file__)
lit_config.load_config(config, os.path.join(os.path.dirname(__file__), '..', 'lit.common.py'))
