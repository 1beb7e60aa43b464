import { mount } from 'svelte';
import App from './App.svelte';
import './styles/tokens.css';
import './styles/base.css';
import { followAddress } from './state/settings.svelte';

const target = document.getElementById('app');
if (target) {
  followAddress();
  mount(App, { target });
}
